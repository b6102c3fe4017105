// For tests/browser --run, on the book's front page: drives the replay with keys alone, and says what is wrong.
(async function () {
    const wrong = [], root = document.getElementById("replay");
    const [right, racy, play, step] = root.querySelectorAll("button");
    const slider = root.querySelector("input"), terminal = root.querySelector(".replay-terminal");
    const expect = (holds, text) => holds || wrong.push(text);
    async function key(name, goal) { // waits until the goal is reached, at most 5 s
        press(name);
        for (let i = 0; i < 100 && !goal(); i++) await new Promise((done) => setTimeout(done, 50));
        expect(goal(), name + " on " + document.activeElement.textContent + " does not do this: " + goal);
    }
    const focused = (on) => () => document.activeElement === on;
    right.focus();
    await key("Tab", focused(racy));
    await key("Enter", () => racy.getAttribute("aria-pressed") === "true" && play.textContent === "Pause");
    await key("Tab", focused(play));
    await key("Space", () => play.textContent === "Play");
    await key("Tab", focused(step));
    const before = +slider.value;
    await key("Enter", () => +slider.value === before + 1);
    await key("Tab", focused(slider));
    await key("Home", () => slider.value === "0" && terminal.textContent.trim() === "$ ./grader --only reduce");
    await key("ArrowRight", () => slider.value === "1");
    await key("End", () => slider.value === slider.max && /race in shared memory/.test(terminal.textContent));
    expect(root.querySelector("li.bad:not(.later)"), "no sum of the racy kernel is shown as wrong");
    expect(root.querySelector(".replay-line.named"), "the line that the report names is not marked");
    await key("ArrowLeft", () => +slider.value === slider.max - 1);
    for (const on of [step, play, racy, right]) await key("Shift+Tab", focused(on));
    await key("Space", () => right.getAttribute("aria-pressed") === "true" && play.textContent === "Pause");
    for (const on of [racy, play, step, slider]) await key("Tab", focused(on));
    await key("End", () => /passed: 40 of 40 points/.test(terminal.textContent));
    expect(!root.querySelector("li.bad"), "a sum of the right kernel is shown as wrong");
    return wrong.join("\n");
})()
