// Pictures with sliders: shows the frame for where the sliders stand; frames.py had them all drawn.
(function () {
    "use strict";
    const folder = document.currentScript.src.replace(/[^/]*$/, "frames/");

    function element(tag, options, parent) {
        return parent.appendChild(Object.assign(document.createElement(tag), options));
    }

    function start(box) {
        const name = box.dataset.frames;
        const bar = element("div", { className: "choose-bar" }, box);
        const room = element("div", {}, box), picture = element("img", {}, room);
        const told = element("p", { className: "choose-told" }, box);
        told.setAttribute("role", "status");
        const inputs = frames[name].sliders.map(([title, values]) => {
            const label = element("label", { textContent: title + " " }, bar);
            const input = element("input", { type: "range", min: 0, max: values.length - 1, value: 0 }, label);
            const shown = element("output", {}, label);
            input.oninput = show;
            return { input, shown, values };
        });

        function show() {
            let number = 0;
            for (const { input, shown, values } of inputs) {
                shown.textContent = values[input.value];
                input.setAttribute("aria-valuetext", values[input.value]);
                number = number * values.length + Number(input.value);
            }
            picture.src = folder + name + "-" + number + ".svg";
            picture.alt = told.textContent = frames[name].told[number];
        }

        // The text below stays where it is when a lower picture comes.
        picture.onload = () => {
            room.style.minHeight = Math.max(parseFloat(room.style.minHeight) || 0, room.offsetHeight) + "px";
        };
        show();
    }

    document.querySelectorAll(".choose").forEach(start);
})();
