// What the page of a content plan shows of a user, a broker or a channel: who serves whom, at what price, and how much.
search.begin((raw) => {
  const { answer, unpack, rows, count, add, list, table } = search;
  const brokerOf = unpack(raw.broker), nearest = unpack(raw.nearest), links = unpack(raw.links);
  const amount = (value) => value.toLocaleString("en", { maximumSignificantDigits: 4 });
  const capacity = (broker) => raw.capacity[broker] === null ? "no limit" : amount(raw.capacity[broker]);
  const usersOf = rows(raw.brokers.length, brokerOf, brokerOf.map((_, user) => user));
  const wanted = members(raw.subscribed), published = members(raw.published);
  const neighbours = raw.brokers.map(() => []);
  for (let k = 0; k < raw.prices.length; k++) {
    const [one, other] = [links[2 * k], links[2 * k + 1]];
    neighbours[one].push([other, amount(raw.prices[k])]);
    neighbours[other].push([one, amount(raw.prices[k])]);
  }

  // Users and channels that belong together, from both sides.
  function members({ users, channels }) {
    const [user, channel] = [unpack(users), unpack(channels)];
    return { of: rows(raw.users.length, user, channel), by: rows(raw.channels.length, channel, user) };
  }

  function showUser(user) {
    const broker = brokerOf[user], best = nearest[user];
    list("Served by", "broker", [broker]);
    add(answer, "p", `A unit of its traffic costs ${amount(raw.paid[user])} on the way to this broker` +
      (broker === best ? ", which is the cheapest for it." : `; at the cheapest for it, ${amount(raw.least[user])}.`));
    if (broker !== best) list("Cheapest broker", "broker", [best]);
    list("Publishes on", "channel", published.of.of(user));
    list("Subscribes to", "channel", wanted.of.of(user));
  }

  function showBroker(broker) {
    const users = usersOf.of(broker);
    add(answer, "p", `${count(users.length, "user")}, ${count(neighbours[broker].length, "link")}; ` +
      `load ${amount(raw.load[broker])}, capacity ${capacity(broker)}.`);
    list("Users", "user", users);
    if (neighbours[broker].length) table("broker", ["linked to", "price of a unit"], neighbours[broker]);
  }

  function showChannel(channel) {
    const subscribers = wanted.by.of(channel), publishers = published.by.of(channel);
    add(answer, "p", `${count(subscribers.length, "subscriber")}, ${count(publishers.length, "publisher")}.`);
    const users = new Map();
    for (const user of subscribers) users.set(brokerOf[user], (users.get(brokerOf[user]) ?? 0) + 1);
    const lines = [...users].sort(([, a], [, b]) => b - a).map(([broker, each]) => [broker, each.toLocaleString("en")]);
    if (lines.length) table("broker", ["broker", "subscribers there"], lines);
    list("Subscribers", "user", subscribers);
    list("Publishers", "user", publishers);
  }

  return {
    user: { labels: raw.users, show: showUser },
    broker: { labels: raw.brokers, show: showBroker },
    channel: { labels: raw.channels, show: showChannel },
  };
});
