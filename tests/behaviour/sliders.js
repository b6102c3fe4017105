// For tests/browser --run, on a page of the book: moves each slider to each of its places, and says what is wrong.
(async function () {
    const boxes = document.querySelectorAll(".choose");
    const wrong = boxes.length ? [] : ["the page has no picture with sliders"];
    for (const box of boxes) {
        box.closest("details")?.setAttribute("open", "");
        const picture = box.querySelector("img"), seen = new Set();
        const told = box.querySelector("[role=status]");
        for (const input of box.querySelectorAll("input"))
            for (input.value = 0; ; input.stepUp()) {
                input.dispatchEvent(new Event("input"));
                try {
                    await picture.decode();
                } catch {
                    wrong.push("there is no " + picture.src);
                }
                if (!told.textContent || picture.alt !== told.textContent) wrong.push("no text for " + picture.src);
                const said = input.getAttribute("aria-valuetext");
                if (said !== input.nextElementSibling.textContent) wrong.push("a value is not said");
                seen.add(picture.src);
                if (input.value === input.max) break;
            }
        const places = [...box.querySelectorAll("input")].reduce((sum, input) => sum + Number(input.max), 1);
        if (seen.size !== places) wrong.push(seen.size + " pictures for " + places + " places of the sliders");
        if (picture.naturalHeight < 50 || picture.offsetHeight < 50) wrong.push("a picture is not shown");
    }
    return [...new Set(wrong)].join("\n");
})()
