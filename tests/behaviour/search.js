// For tests/browser --run, on search.html?q=WORD: "" if anything was found within ten seconds, and each leads to a page.
(async function () {
    for (let i = 0; i < 100; i++) {
        const found = document.querySelectorAll("#search-results li a");
        if (found.length) return [...found].every((link) => link.href.startsWith("file:")) ? "" : "what was found is no page";
        await new Promise((done) => setTimeout(done, 100));
    }
    return "nothing was found";
})()
