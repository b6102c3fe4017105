// What scrolls sideways can be scrolled with the keyboard.
(function () {
    "use strict";
    function mark() {
        for (const box of document.querySelectorAll(".content pre, .table-wrapper"))
            if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    }
    mark();
    addEventListener("resize", mark);
    document.querySelectorAll("details").forEach((details) => details.addEventListener("toggle", mark));
})();
