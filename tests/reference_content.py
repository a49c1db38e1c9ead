"""Naive twins of the content methods, in plain Python, from the paper's listings as settled. Slow on purpose."""

from __future__ import annotations

from itertools import combinations, product


class Plain:
    """An instance as lists, with the traffic figures of §II-B recomputed from their definitions."""

    def __init__(self, instance):
        self.users = range(instance.num_users)
        self.brokers = range(instance.num_brokers)
        self.channels = range(instance.num_channels)
        self.s = instance.subscribe.tolist()
        self.p = instance.access_price.tolist()
        self.links = instance.core_price.tolist()
        self.q = shortest(self.links)
        self.capacity = [c * (1 + 1e-9) for c in instance.capacity.tolist()]
        given = instance.publish.tolist()
        self.g = [
            [given[i][c] if any(self.s[k][c] for k in self.users if k != i) else 0.0 for c in self.channels]
            for i in self.users
        ]
        self.out = [sum(self.g[i]) for i in self.users]
        self.into = [
            sum(self.g[k][c] for c in self.channels if self.s[i][c] for k in self.users if k != i) for i in self.users
        ]
        self.need = [self.into[i] + self.out[i] for i in self.users]

    def by_need(self):
        largest = max(*self.need, 1e-300)  # values that are equal except for the last bits of a sum count as equal
        return sorted(self.users, key=lambda i: (-round(self.need[i] / largest * 2**40), i))


def shortest(price):
    """The price of the cheapest path between any two brokers."""
    found = [list(row) for row in price]
    for via in range(len(found)):
        for here in range(len(found)):
            for there in range(len(found)):
                found[here][there] = min(found[here][there], found[here][via] + found[via][there])
    return found


def spanning_tree(q, nodes):
    """Kruskal; the links of a minimum spanning tree over these nodes."""
    piece = {v: v for v in nodes}

    def root(v):
        while piece[v] != v:
            v = piece[v]
        return v

    links = []
    for _, u, v in sorted((q[u][v], u, v) for u in nodes for v in nodes if u < v):
        if root(u) != root(v):
            piece[root(u)] = root(v)
            links.append((u, v))
    return links


def path_links(links, source, target):
    """The links between two nodes of a tree."""
    ways = {source: []}
    grown = True
    while grown:
        grown = False
        for u, v in links:
            for a, b in ((u, v), (v, u)):
                if a in ways and b not in ways:
                    ways[b] = [*ways[a], (u, v)]
                    grown = True
    return ways[target]


def steiner(plain, stops):
    """The cheapest spanning tree over these brokers and any others."""
    others = [b for b in plain.brokers if b not in stops]
    trees = [
        spanning_tree(plain.q, sorted({*stops, *relays}))
        for size in range(len(others) + 1)
        for relays in combinations(others, size)
    ]
    return min(trees, key=lambda tree: sum(plain.q[u][v] for u, v in tree))


def routed_cost(plain, broker, core="multicast", whole=()):
    """Send one message for every (publisher, channel) and add up what every path charges: access, core, paths used.

    ``whole`` are the links of the one tree of ``core="tree"``, which is made of links.
    """
    access = core_cost = 0.0
    traffic = {}
    price = plain.links if core == "tree" else plain.q
    trees = {}
    for i, c in product(plain.users, plain.channels):
        rate = plain.g[i][c]
        if rate == 0:
            continue
        access += rate * plain.p[i][broker[i]]
        receivers = [k for k in plain.users if k != i and plain.s[k][c]]
        access += sum(rate * plain.p[k][broker[k]] for k in receivers)
        stops = {broker[k] for k in receivers} | {broker[i]}
        key = frozenset(stops)
        if key not in trees:
            made = {"multicast": lambda stops: spanning_tree(plain.q, sorted(stops)), "tree": lambda stops: whole,
                    "steiner": lambda stops: steiner(plain, stops)}  # fmt: skip
            trees[key] = made[core](stops)
        tree = trees[key]
        used = {link for stop in stops for link in path_links(tree, broker[i], stop)}
        for u, v in used:
            core_cost += rate * price[u][v]
            traffic[u, v] = traffic.get((u, v), 0.0) + rate
    return access, core_cost, traffic


def packing(plain):
    """Algorithm 1, its labels put right."""
    load = [0.0 for _ in plain.brokers]
    broker = []
    for i in plain.users:
        least, index = float("inf"), -1
        for j in plain.brokers:
            if load[j] + plain.need[i] <= plain.capacity[j] and plain.p[i][j] < least:
                least, index = plain.p[i][j], j
        assert index >= 0
        broker.append(index)
        load[index] += plain.need[i]
    return broker


def clustering(plain):
    """Algorithm 2 with the largest ratio, as its text says."""
    positive = [price for row in plain.p for price in row if price > 0]
    p = [[price if price > 0 else min(positive, default=1.0) for price in row] for row in plain.p]

    def traffic(i, j):
        return sum(plain.g[i][c] * plain.s[j][c] + plain.g[j][c] * plain.s[i][c] for c in plain.channels)

    broker = [-1 for _ in plain.users]
    load = [0.0 for _ in plain.brokers]
    for b in plain.brokers:
        pairs = [
            (-traffic(i, j) / (p[i][b] + p[j][b]), i, j)
            for i in plain.users
            for j in plain.users
            if i < j and broker[i] < 0 and broker[j] < 0 and plain.need[i] + plain.need[j] <= plain.capacity[b]
        ]
        if pairs:
            _, i, j = min(pairs)
            for user in (i, j):
                broker[user] = b
                load[b] += plain.need[user]
    for i in plain.by_need():
        if broker[i] >= 0:
            continue
        ratios = [
            (-sum(traffic(i, k) for k in plain.users if broker[k] == b) / p[i][b], b)
            for b in plain.brokers
            if load[b] + plain.need[i] <= plain.capacity[b]
        ]
        assert ratios
        broker[i] = min(ratios)[1]
        load[broker[i]] += plain.need[i]
    return broker


def steiner_tree(plain, c, begin, second):
    """Algorithm 3 from the starting brokers on: the broker of every subscriber of the channel."""
    subscribers = [v for v in plain.users if plain.s[v][c]]
    tree = {begin, second}
    first = min(subscribers, key=lambda v: (plain.p[v][second], v))
    at = {first: second}
    while len(at) < len(subscribers):
        options = [
            ((0.0 if b in tree else min(plain.q[b][t] for t in tree)) + plain.p[v][b], v, b)
            for v in subscribers
            if v not in at
            for b in plain.brokers
        ]
        _, v, b = min(options)
        at[v] = b
        tree.add(b)
    return at


def steiner_weights(plain):
    """Phase 1: for every channel and publisher, its rate on every (user, broker) link of its tree."""
    weight = [[0.0 for _ in plain.brokers] for _ in plain.users]
    for c, s in product(plain.channels, plain.users):
        if plain.g[s][c] == 0:
            continue
        _, begin, second, _ = min(
            (plain.p[s][b] + plain.q[b][k] + plain.p[v][k], b, k, v)
            for b in plain.brokers
            for k in plain.brokers
            for v in plain.users
            if v != s and plain.s[v][c]
        )
        weight[s][begin] += plain.g[s][c]
        for v, b in steiner_tree(plain, c, begin, second).items():
            if v != s:
                weight[v][b] += plain.g[s][c]
    return weight


def draw(plain, weight, chance):
    """Phase 2: weights as probabilities, among the brokers with room."""
    load = [0.0 for _ in plain.brokers]
    broker = [-1 for _ in plain.users]
    for i in plain.by_need():
        fits = [b for b in plain.brokers if load[b] + plain.need[i] <= plain.capacity[b]]
        mark = chance[i] * sum(weight[i][b] for b in fits)
        weighted = [b for b in fits if weight[i][b] > 0]
        chosen = min(fits, key=lambda b: (plain.p[i][b], b))
        passed = 0.0
        for b in weighted:
            chosen = b
            passed += weight[i][b]
            if passed > mark:
                break
        broker[i] = chosen
        load[chosen] += plain.need[i]
    return broker


def migrate(plain, start, core):
    """§IV-C: in order of falling traffic, each user to the broker that lowers the total cost most, until none helps."""
    broker = list(start)

    def total(assignment):
        access, carried, _ = routed_cost(plain, assignment, core)
        return access + carried

    load = [sum(plain.need[i] for i in plain.users if broker[i] == j) for j in plain.brokers]
    moves = []
    is_moving = True
    while is_moving:
        is_moving = False
        for i in plain.by_need():
            now = total(broker)
            options = [
                (total([*broker[:i], j, *broker[i + 1 :]]), j)
                for j in plain.brokers
                if j != broker[i] and load[j] + plain.need[i] <= plain.capacity[j] and plain.p[i][j] < float("inf")
            ]
            if options and min(options)[0] < now * (1 - 1e-9):
                reached, j = min(options)
                moves.append((i, broker[i], j, now - reached))
                load[broker[i]] -= plain.need[i]
                load[j] += plain.need[i]
                broker[i] = j
                is_moving = True
    return broker, moves


def heaviest(plain, weight):
    """Phase 2 when the heaviest link is taken: the cheapest of those with most weight that have room."""
    load = [0.0 for _ in plain.brokers]
    broker = [-1 for _ in plain.users]
    for i in plain.by_need():
        fits = [b for b in plain.brokers if load[b] + plain.need[i] <= plain.capacity[b]]
        fits = [b for b in fits if plain.p[i][b] < float("inf")]
        broker[i] = min(fits, key=lambda b: (-weight[i][b], plain.p[i][b], b))
        load[broker[i]] += plain.need[i]
    return broker


def matching_by_scan(subscriptions, content):
    """The keys of the subscriptions (key -> attribute -> (low, high)) all of whose ranges contain the content: a look
    at each of them.
    """
    found = []
    for key, ranges in subscriptions.items():
        limited = {name: ends for name, ends in ranges.items() if ends != (None, None)}
        if all(
            name in content and (low is None or low <= content[name]) and (high is None or content[name] <= high)
            for name, (low, high) in limited.items()
        ):
            found.append(key)
    return sorted(found)
