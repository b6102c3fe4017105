// The front page: replays the two runs in recorded.js (record.py says what they hold).
(function () {
    "use strict";
    const root = document.getElementById("replay");
    const folder = document.currentScript.src.replace(/[^/]*$/, "");
    const LONGEST_PAUSE = 0.7; // seconds; longer waits are shortened
    let name, position, timer;

    function element(tag, options, parent) {
        const made = Object.assign(document.createElement(tag), options);
        if (parent) parent.appendChild(made);
        return made;
    }

    root.textContent = "";
    const bar = element("div", { className: "replay-bar" }, root);
    const choices = {};
    for (const [key, label] of [["right", "The right kernel"], ["racy", "The racy kernel"]])
        choices[key] = element("button", { type: "button", textContent: label, onclick: () => { choose(key); play(); } }, bar);
    const button = element("button", { type: "button", className: "replay-play", onclick: toggle }, bar);
    element("button", { type: "button", textContent: "Step", onclick: () => { stop(); forward(); } }, bar);
    const slider = element("input", { type: "range", min: 0, value: 0, oninput: () => { stop(); show(+slider.value); } }, bar);
    slider.setAttribute("aria-label", "position in the recorded run");
    const picture = element("img", {}, element("div", { className: "replay-picture" }, root));
    const orders = element("div", { className: "replay-orders" }, root);
    const told = element("p", { textContent: "1 + 2 + … + 128, the four warps in " + recorded.right.sums.length + " orders: " }, orders);
    const verdict = element("span", {}, told), list = element("ol", {}, orders);
    const code = element("pre", { className: "replay-code", tabIndex: 0 }, root);
    code.setAttribute("aria-label", "the kernel");
    const terminal = element("pre", { className: "replay-terminal", tabIndex: 0 }, root);
    terminal.setAttribute("aria-label", "the grader's report");

    const run = () => recorded[name];

    function choose(key) {
        stop();
        name = key;
        for (const other in choices) choices[other].setAttribute("aria-pressed", String(other === key));
        slider.max = run().events.length;
        picture.src = folder + name + ".svg";
        picture.alt = run().told;
        showCode();
        showOrders();
        show(run().events.length);
    }

    // The line that only one kernel has is marked there, and struck out in the other, where it has no number.
    function showCode() {
        code.textContent = "";
        for (const [number, text] of run().source) {
            const line = element("span", { className: "replay-line" }, code);
            line.dataset.line = number;
            line.classList.toggle("differs", number === run().differs);
            line.append((number || "").toString().padStart(4) + "  " + text.match(/^ */)[0],
                element(number ? "span" : "s", { textContent: text.trim() }), "\n");
        }
    }

    // The lines of the kernel that the report has named so far.
    function markLines(shown) {
        const named = new Set();
        for (const match of shown.matchAll(/skeleton\.cu:(\d+)/g)) named.add(match[1]);
        for (const line of code.children) line.classList.toggle("named", named.has(line.dataset.line));
    }

    function show(to) {
        position = to;
        slider.value = to;
        const events = run().events.slice(0, to), part = to / run().events.length;
        const lines = ["$ ./grader --only reduce"];
        for (const event of events)
            if (event.up !== undefined) lines.splice(-event.up);
            else if (event.line !== undefined) lines.push(event.line);
        const last = events[events.length - 1];
        if (last && last.status !== undefined) lines.push(last.status);
        terminal.innerHTML = lines.join("\n"); // made by record.py, which escapes what the grader printed
        markLines(terminal.textContent);
        terminal.scrollTop = terminal.scrollHeight;
        const now = 20 + 80 * part + "%"; // time runs to the right; what is to come is pale
        picture.style.maskImage = "linear-gradient(to right, #000 " + now + ", rgb(0 0 0 / 25%) " + now + ")";
        verdict.classList.toggle("later", part < 1);
        [...list.children].forEach((sum, i) => sum.classList.toggle("later", i >= part * list.children.length));
    }

    function showOrders() {
        const right = recorded.right.sums[0];
        const wrong = run().sums.filter((sum) => sum !== right).length;
        verdict.textContent = wrong ? wrong + " sums are wrong. On a GPU the order is not yours to choose." : "every sum is right.";
        list.textContent = "";
        run().sums.forEach((sum) => element("li", { textContent: sum, className: sum === right ? "good" : "bad" }, list));
    }

    function forward() {
        if (position < run().events.length) show(position + 1);
        if (position >= run().events.length) stop();
    }

    function tick() {
        const events = run().events;
        if (position >= events.length) return stop();
        const wait = events[position].at - (position ? events[position - 1].at : 0);
        timer = setTimeout(() => { forward(); if (timer) tick(); }, 1000 * Math.min(LONGEST_PAUSE, Math.max(0.06, wait)));
    }

    function stop() {
        clearTimeout(timer);
        timer = 0;
        button.textContent = "Play";
    }

    function play() {
        if (position >= run().events.length) show(0);
        button.textContent = "Pause";
        tick();
    }

    function toggle() {
        if (timer) stop();
        else play();
    }

    choose("right");
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) play();
})();
