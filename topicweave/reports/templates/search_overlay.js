// What the page of an overlay shows of a node or a topic: its links, its neighbours and how long its paths are.
search.begin((raw) => {
  const MOST_STARTS = 200; // subscribers of a topic from which paths are measured
  const MOST_STEPS = 5e6; // links followed for one answer, so that it comes within a second
  const { MOST_SHOWN, answer, unpack, rows, count, add, list, table } = search;
  const sizes = unpack(raw.sizes), topics = unpack(raw.subscriptions), links = unpack(raw.links);
  const nodes = new Uint32Array(topics.length);
  for (let node = 0, k = 0; node < sizes.length; node++) k = nodes.fill(node, k, k + sizes[node]) && k + sizes[node];
  const from = new Uint32Array(links.length), to = new Uint32Array(links.length);
  for (let k = 0; k < links.length; k++) [from[k], to[k]] = [links[k], links[k ^ 1]];
  const data = {
    topicsOf: rows(raw.nodes.length, nodes, topics),
    subscribersOf: rows(raw.topics.length, topics, nodes),
    neighboursOf: rows(raw.nodes.length, from, to),
    mark: new Uint32Array(raw.nodes.length), // the last search that may enter a node, and that has entered it
    seen: new Uint32Array(raw.nodes.length), searches: 0, steps: 0,
  };

  // How many of the members are 1, 2, ... hops from a node, along links between members; members null: all nodes.
  function hops(node, members) {
    const { mark, seen, neighboursOf } = data, now = ++data.searches, counts = [];
    if (members) for (const member of members) mark[member] = now;
    seen[node] = now;
    for (let ring = [node]; ring.length; ) {
      const next = [];
      for (const each of ring)
        for (const other of neighboursOf.of(each)) {
          data.steps++;
          if (seen[other] === now || (members && mark[other] !== now)) continue;
          seen[other] = now;
          next.push(other);
        }
      if (next.length) counts.push(next.length);
      ring = next;
    }
    return counts;
  }

  const total = (counts) => counts.reduce((sum, each) => sum + each, 0);
  const average = (counts) => counts.reduce((sum, each, ring) => sum + each * (ring + 1), 0) / total(counts);
  const byDegree = (nodes) => Array.from(nodes).sort((a, b) => data.neighboursOf.size(b) - data.neighboursOf.size(a));

  function showNode(node) {
    const topics = data.topicsOf.of(node), neighbours = data.neighboursOf.of(node);
    add(answer, "p", `${count(neighbours.length, "link")}, ${count(topics.length, "topic")}.`);
    list("Neighbours", "node", byDegree(neighbours));
    const far = hops(node, null), missed = data.mark.length - 1 - total(far);
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
    table("topic", ["topic", "subscribers", "average hops", "most hops", "through subscribers alone"], lines);
    if (lines.length < topics.length) add(answer, "p", `The first ${lines.length} of ${count(topics.length, "topic")}.`);
  }

  function showTopic(topic) {
    const members = data.subscribersOf.of(topic), inside = new Set(members);
    let ends = 0, sum = 0, pairs = 0, most = 0, starts = 0, missed = false;
    for (const node of members) for (const other of data.neighboursOf.of(node)) ends += inside.has(other);
    add(answer, "p", `${count(members.length, "subscriber")}, ${count(ends / 2, "link")} between them.`);
    const order = byDegree(members);
    list("Subscribers", "node", order);
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

  return { node: { labels: raw.nodes, show: showNode }, topic: { labels: raw.topics, show: showTopic } };
});
