/* The colors, light and dark, and what of a picture has which. */
#include "picture/picture.h"

const char picture_style[] =
    ":root{color-scheme:light dark;--ground:#fff;--text:#1c2430;--soft:#5b6675;--line:#d8dee6;--panel:#f5f7fa;"
    "--good:#2f6fde;--bad:#c8372d;--pass:#1d7a3e;--alt:#7fa8ee;--warm:#b7791f;--plum:#8a3fa8;--lilac:#c9a3d9;--sand:#dcb97a;--faint:#d6e3fa;--strip:#7fa8ee}"
    "@media(prefers-color-scheme:dark){:root{--ground:#12161c;--text:#e4e9f0;--soft:#9aa6b5;--line:#323b47;"
    "--panel:#1b2129;--good:#6ea1ff;--bad:#ff7b70;--pass:#58c27d;--alt:#b3cdff;--warm:#e0ad55;--plum:#c98be3;--lilac:#714a85;--sand:#8a6a2f;"
    "--faint:#2a3c5c;--strip:#4f7fd6}}"
    "svg text{font:12px system-ui,sans-serif;fill:var(--text)}svg .small,svg .small text{font-size:11px;fill:var(--soft)}"
    "svg .cost{fill:var(--bad)}svg .code{font:10px ui-monospace,monospace}svg .onit{fill:var(--ground)}svg .tiny text{font-size:9px;fill:var(--ground)}.middle{text-anchor:middle}.end{text-anchor:end}"
    ".page{fill:var(--ground)}.lane,.unit,.even,.dot,.read,.load{fill:var(--good)}.odd,.sload,.rest{fill:var(--alt)}"
    ".off{fill:var(--line)}.extra{fill:var(--bad)}.write,.store{fill:var(--plum)}.bythread{fill:var(--text)}.repeated,.atomic,.both{fill:var(--warm)}"
    ".sstore{fill:var(--lilac)}.satomic{fill:var(--sand)}.shuffle{fill:var(--soft)}.byblock{fill:var(--faint)}.bywarp{fill:var(--strip)}"
    ".missing{fill:none;stroke:var(--bad);stroke-width:2;stroke-dasharray:3 2}.ground{fill:var(--panel)}"
    ".wire{stroke:var(--good);fill:none;opacity:.75}.fine{stroke-width:.6}.wire.bad{stroke:var(--bad)}.wire.pale{stroke:var(--line);fill:none}.own{stroke:var(--soft);stroke-width:.6;fill:none}"
    ".idle{stroke:var(--soft);stroke-width:.7;fill:none}.leader{stroke:var(--soft)}.plank{fill:none;stroke:var(--text);stroke-width:2}.enough{stroke:var(--text);stroke-width:1.5;stroke-dasharray:5 3}svg .name{paint-order:stroke;stroke:var(--ground);stroke-width:3px}.grid,.rule{stroke:var(--line)}.rule{stroke-width:.5}.track{stroke:var(--line);stroke-width:4}"
    ".roof,.needed,.barrier,.node{stroke:var(--text);stroke-width:2}.word{fill:none;stroke:var(--soft)}";
