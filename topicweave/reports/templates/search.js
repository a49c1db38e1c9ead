"use strict";
// The search box of a page: finds a label among the kinds of things that the page has data about, and lets the page's
// own script show what it knows of it. Labels go into the page as text, never as markup.
const search = (() => {
  const MOST_SHOWN = 100; // names in one list
  const MOST_MATCHES = 20; // names offered where nothing has exactly the name typed
  const box = document.getElementById("find");
  const answer = document.getElementById("found");
  let load, kinds = null; // by name of a kind ("node"): its labels, and how to show one of them

  function unpack(packed) {
    const bytes = Uint8Array.from(atob(packed.base64), (letter) => letter.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    const numbers = new Uint32Array(bytes.length / packed.width);
    for (let i = 0; i < numbers.length; i++)
      numbers[i] = packed.width === 2 ? view.getUint16(2 * i, true) : view.getUint32(4 * i, true);
    return numbers;
  }

  // Rows of unequal length in one array: row i is values[start[i]] up to values[start[i + 1]].
  function rows(count, row, value) {
    const start = new Uint32Array(count + 1);
    for (const i of row) start[i + 1]++;
    for (let i = 0; i < count; i++) start[i + 1] += start[i];
    const next = start.slice(), values = new Uint32Array(row.length);
    for (let k = 0; k < row.length; k++) values[next[row[k]]++] = value[k];
    return { of: (i) => values.subarray(start[i], start[i + 1]), size: (i) => start[i + 1] - start[i] };
  }

  const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
  const readable = (label) => label.replace(/\p{C}/gu, "\ufffd");

  function add(parent, tag, text) {
    const made = parent.appendChild(document.createElement(tag));
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function link(parent, kind, number) {
    const label = kinds[kind].labels[number], made = add(parent, "a", readable(label));
    made.href = `#${kind}=${encodeURIComponent(label)}`;
  }

  function list(title, kind, numbers) {
    const line = add(answer, "p");
    add(line, "b", title + ": ");
    const shown = Array.from(numbers).slice(0, MOST_SHOWN);
    shown.forEach((number, place) => { if (place) line.append(", "); link(line, kind, number); });
    if (!shown.length) line.append("none");
    if (numbers.length > shown.length) line.append(` and ${(numbers.length - shown.length).toLocaleString("en")} more`);
  }

  // A table whose first column are links to things of a kind; each line begins with the thing's number.
  function table(kind, head, lines) {
    const made = add(answer, "table"), top = add(add(made, "thead"), "tr"), body = add(made, "tbody");
    made.className = "numbers";
    for (const name of head) add(top, "th", name);
    for (const [number, ...cells] of lines) {
      const row = add(body, "tr");
      link(add(row, "td"), kind, number);
      for (const cell of cells) add(row, "td", cell);
    }
  }

  function show(kind, number) {
    add(answer, "h3", `${kind[0].toUpperCase()}${kind.slice(1)} ${readable(kinds[kind].labels[number])}`);
    kinds[kind].show(number);
  }

  function look(text, only) {
    answer.replaceChildren();
    if (!text) return;
    kinds ??= load(JSON.parse(document.getElementById("data").textContent));
    const names = Object.keys(kinds);
    for (const kind of Object.hasOwn(kinds, only) ? [only] : names) {
      const number = kinds[kind].labels.indexOf(text);
      if (number >= 0) show(kind, number);
    }
    if (answer.firstChild) return;
    const low = text.toLowerCase();
    for (const kind of names) {
      const matches = [];
      kinds[kind].labels.forEach((label, number) => { if (label.toLowerCase().includes(low)) matches.push(number); });
      if (!matches.length) continue;
      const first = matches.length > MOST_MATCHES ? `The first ${MOST_MATCHES} of ` : "";
      list(`${first}${count(matches.length, kind)} with this in the name`, kind, matches.slice(0, MOST_MATCHES));
    }
    const any = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(names);
    if (!answer.firstChild) add(answer, "p", `No ${any} has this in its name.`);
  }

  // The address holds the question, so that an answer can be bookmarked and the back button works.
  function fromAddress() {
    const [, kind, text] = /^#(\w+)=(.*)$/.exec(location.hash) || [];
    if (!kind) return;
    try { box.value = decodeURIComponent(text); } catch { box.value = text; }
    look(box.value, kind);
    box.scrollIntoView({ block: "nearest" });
  }

  function begin(loadKinds) {
    load = loadKinds;
    box.addEventListener("input", () => look(box.value.trim()));
    addEventListener("hashchange", fromAddress);
    fromAddress();
  }

  return { MOST_SHOWN, answer, unpack, rows, count, add, list, table, begin };
})();
