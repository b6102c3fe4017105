// For tests/browser --run, on search.html?q=WORD&first=TITLE: is anything found within ten seconds, does each lead to a
// page, and does the title of what stands first begin with TITLE?
(async function () {
    for (let i = 0; i < 100; i++) {
        const found = document.querySelectorAll("#search-results li a");
        const pages = [...found].filter((link) => link.href.startsWith("file:"));
        const first = new URLSearchParams(location.search).get("first") || "";
        if (found.length && pages.length !== found.length) return "what was found is no page";
        if (found.length) return found[0].textContent.startsWith(first) ? "" : `first is ${found[0].textContent}`;
        await new Promise((done) => setTimeout(done, 100));
    }
    return "nothing was found";
})()
