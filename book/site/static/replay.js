// The front page: replays the two runs in recorded.js (record.py says what they hold).
(function () {
    "use strict";
    const root = document.getElementById("replay");
    const LONGEST_PAUSE = 0.7; // seconds; longer waits are shortened, and the page says so
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
        choices[key] = element("button", { type: "button", textContent: label, onclick: () => choose(key) }, bar);
    const play = element("button", { type: "button", className: "replay-play", onclick: toggle }, bar);
    element("button", { type: "button", textContent: "Step", onclick: () => { stop(); forward(); } }, bar);
    const slider = element("input", { type: "range", min: 0, value: 0, oninput: () => { stop(); show(+slider.value); } }, bar);
    slider.setAttribute("aria-label", "position in the recorded run");
    const code = element("pre", { className: "replay-code", tabIndex: 0 }, root);
    code.setAttribute("aria-label", "the kernel");
    const terminal = element("pre", { className: "replay-terminal", tabIndex: 0 }, root);
    terminal.setAttribute("aria-label", "the grader's report");
    const orders = element("div", { className: "replay-orders" }, root);

    const run = () => recorded[name];

    function choose(key) {
        stop();
        name = key;
        for (const other in choices) choices[other].setAttribute("aria-pressed", String(other === key));
        slider.max = run().events.length;
        showCode();
        showOrders();
        show(run().events.length);
    }

    function showCode() {
        code.textContent = "";
        run().source.forEach((text, i) => {
            const number = run().first + i;
            const line = element("span", { className: "replay-line" }, code);
            line.dataset.line = number;
            if (run().marked && text.trim() === run().marked && text.startsWith("        ")) line.classList.add("differs");
            line.textContent = String(number).padStart(4) + "  " + text + "\n";
        });
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
        const events = run().events.slice(0, to);
        const lines = ["$ ./grader --only reduce"];
        for (const event of events)
            if (event.up !== undefined) lines.splice(-event.up);
            else if (event.line !== undefined) lines.push(event.line);
        const last = events[events.length - 1];
        if (last && last.status !== undefined) lines.push(last.status);
        terminal.innerHTML = lines.join("\n"); // made by record.py, which escapes what the grader printed
        markLines(terminal.textContent);
        orders.hidden = to < run().events.length;
        terminal.scrollTop = terminal.scrollHeight;
    }

    function showOrders() {
        const right = recorded.right.sums[0];
        const wrong = run().sums.filter((sum) => sum !== right).length;
        orders.textContent = "";
        element("p", { textContent: "The same kernel adds 1 + 2 + … + 128, its four warps in " + run().sums.length +
            " orders: " + (wrong ? wrong + " sums are wrong." : "every sum is right.") }, orders);
        const list = element("ol", {}, orders);
        run().sums.forEach((sum) => element("li", { textContent: sum, className: sum === right ? "good" : "bad" }, list));
        if (wrong)
            element("p", { textContent: "On a GPU the order is not yours to choose: this kernel is right by luck, or wrong by bad luck." },
                orders);
    }

    function forward() {
        if (position < run().events.length) show(position + 1);
        if (position >= run().events.length) stop();
    }

    function tick() {
        const events = run().events;
        if (position >= events.length) return stop();
        const wait = events[position].at - (position ? events[position - 1].at : 0);
        timer = setTimeout(() => { forward(); if (timer) tick(); }, 1000 * Math.min(LONGEST_PAUSE, Math.max(0.03, wait)));
    }

    function stop() {
        clearTimeout(timer);
        timer = 0;
        play.textContent = "Play";
    }

    function toggle() {
        if (timer) return stop();
        if (position >= run().events.length) show(0);
        play.textContent = "Pause";
        tick();
    }

    choose("racy");
})();
