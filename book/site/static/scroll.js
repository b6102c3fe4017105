// What scrolls sideways can be scrolled with the keyboard; what is a little too wide becomes smaller.
(function () {
    "use strict";
    function mark() {
        for (const box of document.querySelectorAll(".content .highlight pre")) {
            box.style.fontSize = "";
            const part = box.clientWidth / box.scrollWidth;
            if (part < 1 && part > 0.82) box.style.fontSize = parseFloat(getComputedStyle(box).fontSize) * (part - 0.01) + "px";
        }
        for (const box of document.querySelectorAll(".content pre, .table-wrapper, .content p:has(> img), .content div:has(> img)"))
            if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    }
    mark();
    addEventListener("resize", mark);
    document.querySelectorAll("details").forEach((details) => details.addEventListener("toggle", mark));
})();
