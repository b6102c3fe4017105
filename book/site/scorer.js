// How search.html orders what it finds: by where the word stands (a page's title, a heading, the text), then by how often
// it stands on the page. Sphinx puts this into its language_data.js; conf.py makes Search.counts.
Scorer.score = function ([page, title, anchor, , score]) {
    const stems = Search._parseQuery(new URLSearchParams(location.search).get("q") || "")[1];
    const index = Search._index;
    const number = index.docnames.indexOf(page);
    const counts = [...stems].map((stem) => (Object.hasOwn(Search.counts, stem) && Search.counts[stem][number]) || 1);
    const stemmer = new Stemmer();
    const words = splitQuery(index.titles[number].toLowerCase()).map((word) => stemmer.stemWord(word));
    const inTitle = !anchor && [...stems].every((stem) => words.includes(stem));
    const place = inTitle ? 2 : anchor || score >= Scorer.title ? 1 : 0;
    return place * 1e6 + Math.min(...counts);
};
