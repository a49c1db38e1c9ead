"use strict";
// Looks up a node or a topic in the data that stand in this page. Labels go into the page as text, never as markup.
(() => {
  const MOST_SHOWN = 100; // names in one list
  const MOST_MATCHES = 20; // names offered where nothing has exactly the name typed
  const MOST_STARTS = 200; // subscribers of a topic from which paths are measured
  const MOST_STEPS = 5e6; // links followed for one answer, so that it comes within a second
  const box = document.getElementById("find");
  const answer = document.getElementById("found");
  let data = null;

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

  function load() {
    const raw = JSON.parse(document.getElementById("data").textContent);
    const sizes = unpack(raw.sizes), topics = unpack(raw.subscriptions), links = unpack(raw.links);
    const nodes = new Uint32Array(topics.length);
    for (let node = 0, k = 0; node < sizes.length; node++) k = nodes.fill(node, k, k + sizes[node]) && k + sizes[node];
    const from = new Uint32Array(links.length), to = new Uint32Array(links.length);
    for (let k = 0; k < links.length; k++) [from[k], to[k]] = [links[k], links[k ^ 1]];
    data = {
      nodes: raw.nodes, topics: raw.topics,
      topicsOf: rows(raw.nodes.length, nodes, topics),
      subscribersOf: rows(raw.topics.length, topics, nodes),
      neighboursOf: rows(raw.nodes.length, from, to),
      mark: new Uint32Array(raw.nodes.length), // the last search that may enter a node, and that has entered it
      seen: new Uint32Array(raw.nodes.length), searches: 0, steps: 0,
    };
  }

  // How many of the members are 1, 2, ... hops from a node, along links between members; members null: all nodes.
  function hops(node, members) {
    const { mark, seen, neighboursOf } = data, search = ++data.searches, counts = [];
    if (members) for (const member of members) mark[member] = search;
    seen[node] = search;
    for (let ring = [node]; ring.length; ) {
      const next = [];
      for (const each of ring)
        for (const other of neighboursOf.of(each)) {
          data.steps++;
          if (seen[other] === search || (members && mark[other] !== search)) continue;
          seen[other] = search;
          next.push(other);
        }
      if (next.length) counts.push(next.length);
      ring = next;
    }
    return counts;
  }

  const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
  const total = (counts) => counts.reduce((sum, each) => sum + each, 0);
  const average = (counts) => counts.reduce((sum, each, ring) => sum + each * (ring + 1), 0) / total(counts);
  const readable = (label) => label.replace(/\p{C}/gu, "\ufffd");

  function add(parent, tag, text) {
    const made = parent.appendChild(document.createElement(tag));
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function link(parent, kind, number) {
    const made = add(parent, "a", readable(data[kind][number]));
    made.href = "#" + (kind === "topics" ? "topic=" : "node=") + encodeURIComponent(data[kind][number]);
  }

  function list(title, kind, numbers) {
    const line = add(answer, "p");
    add(line, "b", title + ": ");
    const shown = Array.from(numbers).slice(0, MOST_SHOWN);
    shown.forEach((number, place) => { if (place) line.append(", "); link(line, kind, number); });
    if (!shown.length) line.append("none");
    if (numbers.length > shown.length) line.append(` and ${(numbers.length - shown.length).toLocaleString("en")} more`);
  }

  function table(head, lines) {
    const made = add(answer, "table"), top = add(add(made, "thead"), "tr"), body = add(made, "tbody");
    made.className = "numbers";
    for (const name of head) add(top, "th", name);
    for (const [topic, ...cells] of lines) {
      const row = add(body, "tr"), first = add(row, "td");
      typeof topic === "number" ? link(first, "topics", topic) : (first.textContent = topic);
      for (const cell of cells) add(row, "td", cell);
    }
  }

  const byDegree = (nodes) => Array.from(nodes).sort((a, b) => data.neighboursOf.size(b) - data.neighboursOf.size(a));

  function showNode(node) {
    const topics = data.topicsOf.of(node), neighbours = data.neighboursOf.of(node);
    add(answer, "h3", `Node ${readable(data.nodes[node])}`);
    add(answer, "p", `${count(neighbours.length, "link")}, ${count(topics.length, "topic")}.`);
    list("Neighbours", "nodes", byDegree(neighbours));
    const far = hops(node, null), missed = data.nodes.length - 1 - total(far);
    add(answer, "p", far.length
      ? `Paths through the whole overlay: ${average(far).toFixed(2)} hops on average, ${far.length} at most` +
        (missed ? `; ${count(missed, "node")} cannot be reached.` : ".")
      : "No path leads to any other node.");
    const lines = [];
    data.steps = 0;
    for (const topic of Array.from(topics).slice(0, MOST_SHOWN)) {
      if (data.steps > MOST_STEPS) break;
      const members = data.subscribersOf.of(topic), inside = hops(node, members), left = members.length - 1 - total(inside);
      lines.push([topic, members.length.toLocaleString("en"), inside.length ? average(inside).toFixed(2) : "–",
        inside.length ? String(inside.length) : "–", left ? `${left.toLocaleString("en")} not reached` : "all reached"]);
    }
    table(["topic", "subscribers", "average hops", "most hops", "through subscribers alone"], lines);
    if (lines.length < topics.length) add(answer, "p", `The first ${lines.length} of ${count(topics.length, "topic")}.`);
  }

  function showTopic(topic) {
    const members = data.subscribersOf.of(topic), inside = new Set(members);
    let ends = 0, sum = 0, pairs = 0, most = 0, starts = 0, missed = false;
    for (const node of members) for (const other of data.neighboursOf.of(node)) ends += inside.has(other);
    add(answer, "h3", `Topic ${readable(data.topics[topic])}`);
    add(answer, "p", `${count(members.length, "subscriber")}, ${count(ends / 2, "link")} between them.`);
    const order = byDegree(members);
    list("Subscribers", "nodes", order);
    data.steps = 0;
    for (const node of order.slice(0, MOST_STARTS)) {
      if (data.steps > MOST_STEPS) break;
      const counts = hops(node, members);
      if (counts.length) [sum, pairs] = [sum + average(counts) * total(counts), pairs + total(counts)];
      [most, starts, missed] = [Math.max(most, counts.length), starts + 1, missed || total(counts) < members.length - 1];
    }
    if (members.length < 2) return;
    const part = starts < members.length ? `, measured from the ${count(starts, "subscriber")} with most links` : "";
    add(answer, "p", (pairs ? `Paths through subscribers alone: ${(sum / pairs).toFixed(2)} hops on average, ` +
      `${most} at most${part}. ` : "") + (missed ? "The topic is in pieces." : "The topic is connected."));
  }

  function look(text, kind) {
    answer.replaceChildren();
    if (!text) return;
    if (!data) load();
    const exact = { nodes: data.nodes.indexOf(text), topics: data.topics.indexOf(text) };
    if (exact.nodes >= 0 && kind !== "topics") showNode(exact.nodes);
    if (exact.topics >= 0 && kind !== "nodes") showTopic(exact.topics);
    if (answer.firstChild) return;
    const low = text.toLowerCase(), matches = { nodes: [], topics: [] };
    for (const each of ["nodes", "topics"])
      data[each].forEach((label, number) => { if (label.toLowerCase().includes(low)) matches[each].push(number); });
    if (!matches.nodes.length && !matches.topics.length) add(answer, "p", "No node or topic has this in its name.");
    for (const each of ["nodes", "topics"]) {
      const { length } = matches[each];
      if (!length) continue;
      list(`${length > MOST_MATCHES ? `The first ${MOST_MATCHES} of ` : ""}${count(length, each.slice(0, -1))} with this in the name`,
        each, matches[each].slice(0, MOST_MATCHES));
    }
  }

  // The address holds the question, so that an answer can be bookmarked and the back button works.
  function fromAddress() {
    const [, word, text] = /^#(find|node|topic)=(.*)$/.exec(location.hash) || [];
    if (!word) return;
    try { box.value = decodeURIComponent(text); } catch { box.value = text; }
    look(box.value, { node: "nodes", topic: "topics" }[word]);
    box.scrollIntoView({ block: "nearest" });
  }

  box.addEventListener("input", () => look(box.value.trim()));
  addEventListener("hashchange", fromAddress);
  fromAddress();
})();
