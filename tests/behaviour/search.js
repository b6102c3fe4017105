// For tests/browser --run, on search.html?q=WORD: is anything found within ten seconds, and does each lead to a page?
(async function () {
    for (let i = 0; i < 100; i++) {
        const found = document.querySelectorAll("#search-results li a");
        const pages = [...found].filter((link) => link.href.startsWith("file:"));
        if (found.length) return pages.length === found.length ? "" : "what was found is no page";
        await new Promise((done) => setTimeout(done, 100));
    }
    return "nothing was found";
})()
