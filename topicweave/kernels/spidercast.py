"""SpiderCast: every node in turn chooses its neighbours, knowing all subscriptions.

The expensive part is the greedy choice: which node covers most of a node's uncovered topics? Popular topics are checked
in bit rows by node, rare ones through their subscriber lists. While a node chooses, counts only fall, so a count taken
earlier is an upper bound, by which most candidates are skipped.
"""

import numpy as np

from topicweave.kernels.intrinsics import ONE, popcount
from topicweave.kernels.jit import njit
from topicweave.kernels.rng import next_word
from topicweave.kernels.spider_groups import best_of_groups, count_subscribers, find_subscriber, hide, show_hidden
from topicweave.kernels.spider_network import GREEDY, RANDOM, link


@njit
def drop_full(net, t):
    """Remove subscribers that may not take more links from a topic's list; the others stay in node order."""
    end = net.topic_indptr[t]
    for at in range(net.topic_indptr[t], net.room_end[t]):
        w = net.room_nodes[at]
        if net.degrees[w] < net.max_degree:
            net.room_nodes[end] = w
            end += 1
    net.room_end[t] = end


@njit
def list_wanted(net, v, target):
    """List the topics of ``v`` that greedily chosen links cover less often than the target, and the nodes that could
    cover them.

    Return the number of these topics and of these nodes.
    """
    for word in range(len(net.wanted_bits)):
        net.wanted_bits[word] = 0
    num_wanted, num_candidates, some_popular = 0, 0, False
    start = net.node_indptr[v]
    for i in range(start, net.node_indptr[v + 1]):
        net.wanted[i - start] = net.covered[GREEDY, i] < target
        if net.covered[GREEDY, i] >= target:
            continue
        num_wanted += 1
        t = net.node_topics[i]
        if net.bit_of[t] >= 0:
            net.wanted_bits[net.bit_of[t] >> 6] |= ONE << np.uint64(net.bit_of[t] & 63)
            some_popular = True
            continue
        drop_full(net, t)
        for w in net.room_nodes[net.topic_indptr[t] : net.room_end[t]]:
            if net.rare[w] == 0:
                net.candidates[num_candidates] = w
                num_candidates += 1
            net.rare[w] += 1
    if some_popular:
        num_candidates = net.num_with_room[0]
        for c in range(num_candidates):
            net.candidates[c] = net.with_room[c]
    return num_wanted, num_candidates


@njit
def list_words(net):
    """List in ``net.words`` the groups of 64 popular topics that contain a wanted one; return how many there are."""
    num_words = 0
    for word in range(len(net.wanted_bits)):
        if net.wanted_bits[word]:
            net.words[num_words] = word
            num_words += 1
    return num_words


@njit
def count_wanted(net, w, num_words):
    """Return how many of the wanted topics a node has."""
    count = net.rare[w]
    for k in range(num_words):
        word = net.words[k]
        count += popcount(net.rows[w, word] & net.wanted_bits[word])
    return count


@njit
def rank_candidates(net, v, num_candidates, num_wanted):
    """Count how many wanted topics each candidate covers, and sort the candidates by that.

    ``level_start`` is where each count begins in ``ranked``.
    """
    num_words = list_words(net)
    for level in range(num_wanted + 2):
        net.level_start[level] = 0
    for w in net.candidates[:num_candidates]:
        net.bound[w] = 0 if net.chosen_by[w] == v else count_wanted(net, w, num_words)
        net.level_start[net.bound[w]] += 1
    for level in range(1, num_wanted + 2):
        net.level_start[level] += net.level_start[level - 1]
    for w in net.candidates[:num_candidates]:
        net.level_start[net.bound[w]] -= 1
        net.ranked[net.level_start[net.bound[w]]] = w


@njit
def best_candidate(net, v, num_wanted):
    """Return the node that covers most of the wanted topics; -1 if no node covers any.

    Ties go to the node of lowest degree, then of lowest number.
    """
    num_words = list_words(net)
    best, best_count = -1, 1
    for level in range(num_wanted, 0, -1):
        if level < best_count:
            break
        for w in net.ranked[net.level_start[level] : net.level_start[level + 1]]:
            if net.bound[w] < best_count or net.chosen_by[w] == v:
                continue
            net.bound[w] = count_wanted(net, w, num_words)
            if net.bound[w] < best_count:
                continue
            if net.bound[w] > best_count or best < 0 or (net.degrees[w], w) < (net.degrees[best], best):
                best, best_count = w, net.bound[w]
    return best


@njit
def strike_covered(net, v, target):
    """Remove from the wanted topics of ``v`` those that are covered often enough."""
    start = net.node_indptr[v]
    for i in range(start, net.node_indptr[v + 1]):
        if net.wanted[i - start] and net.covered[GREEDY, i] >= target:
            net.wanted[i - start] = False
            t = net.node_topics[i]
            if net.bit_of[t] >= 0:
                net.wanted_bits[net.bit_of[t] >> 6] ^= ONE << np.uint64(net.bit_of[t] & 63)
            else:
                for w in net.room_nodes[net.topic_indptr[t] : net.room_end[t]]:
                    net.rare[w] -= 1


@njit
def choose_greedily(net, v, target, chosen):
    """Link ``v``, again and again, to the node that covers most of its wanted topics, until no node covers any.

    Write the neighbours to ``chosen``; return their number, and the number of topics wanted at first.
    """
    num_chosen = 0
    num_wanted, num_candidates = list_wanted(net, v, target)
    rank_candidates(net, v, num_candidates, num_wanted)
    while net.degrees[v] < net.max_degree:
        best = best_candidate(net, v, num_wanted)
        if best < 0:
            break
        link(net, v, best, GREEDY)
        chosen[num_chosen] = best
        num_chosen += 1
        strike_covered(net, v, target)
    start = net.node_indptr[v]
    for i in range(start, net.node_indptr[v + 1]):
        t = net.node_topics[i]
        if net.wanted[i - start] and net.bit_of[t] < 0:
            for w in net.room_nodes[net.topic_indptr[t] : net.room_end[t]]:
                net.rare[w] = 0
    return num_chosen, num_wanted


@njit
def choose_at_random(net, generator, v, target, chosen, num_chosen):
    """For each topic that random links cover too seldom, link ``v`` to random subscribers.

    Return the number chosen so far.
    """
    for i in range(net.node_indptr[v], net.node_indptr[v + 1]):
        while net.covered[RANDOM, i] < target and net.degrees[v] < net.max_degree:
            t = net.node_topics[i]
            drop_full(net, t)
            subscribers = net.room_nodes[net.topic_indptr[t] : net.room_end[t]]
            count = 0
            for w in subscribers:
                count += net.chosen_by[w] != v
            if count == 0:
                break
            skip = np.int64(next_word(generator) % np.uint64(count))
            for w in subscribers:
                if net.chosen_by[w] != v:
                    if skip == 0:
                        link(net, v, w, RANDOM)
                        chosen[num_chosen] = w
                        num_chosen += 1
                        break
                    skip -= 1
    return num_chosen


@njit
def choose_greedily_by_group(net, groups, v, target, chosen):
    """Do what :func:`choose_greedily` does; faster if there are few groups of nodes."""
    row = slice(net.node_indptr[v], net.node_indptr[v + 1])
    topics, covered = net.node_topics[row], net.covered[GREEDY, row]
    num_chosen, num_wanted = 0, 0
    for times in covered:
        num_wanted += times < target
    while net.degrees[v] < net.max_degree:
        best = best_of_groups(groups, topics, covered, target)
        if best < 0:
            break
        link(net, v, best, GREEDY)
        hide(groups, best)
        chosen[num_chosen] = best
        num_chosen += 1
    return num_chosen, num_wanted


@njit
def choose_at_random_by_group(net, groups, generator, v, target, chosen, num_chosen):
    """Do what :func:`choose_at_random` does, with the same random numbers; faster if there are few groups of nodes."""
    for i in range(net.node_indptr[v], net.node_indptr[v + 1]):
        t = net.node_topics[i]
        while net.covered[RANDOM, i] < target and net.degrees[v] < net.max_degree:
            count = count_subscribers(groups, t, 1)
            if count == 0:
                break
            w = find_subscriber(groups, t, np.int64(next_word(generator) % np.uint64(count)))
            link(net, v, w, RANDOM)
            hide(groups, w)
            chosen[num_chosen] = w
            num_chosen += 1
    return num_chosen


@njit
def take_turn(net, groups, generator, v, k_greedy, k_random, goes_on, chosen):
    """Let one node choose; write its new neighbours to ``chosen`` and return how many there are."""
    num_topics = net.node_indptr[v + 1] - net.node_indptr[v]
    num_chosen = 0
    while net.degrees[v] < net.max_degree:
        before = num_chosen
        if groups is None:
            num_greedy, num_wanted = choose_greedily(net, v, k_greedy, chosen[num_chosen:])
            num_chosen = choose_at_random(net, generator, v, k_random, chosen, num_chosen + num_greedy)
        else:
            num_greedy, num_wanted = choose_greedily_by_group(net, groups, v, k_greedy, chosen[num_chosen:])
            num_chosen += num_greedy
            num_chosen = choose_at_random_by_group(net, groups, generator, v, k_random, chosen, num_chosen)
        # If every topic is wanted and still no node was chosen, there are no candidates left.
        if not goes_on or (num_wanted == num_topics and num_chosen == before):
            break
        k_greedy += 1
        k_random += 1
    return num_chosen


@njit
def spider_links(net, groups, order, k_greedy, k_random, goes_on, generator, newest, links, num_edges):
    """Let some nodes choose, in this order; return all links made so far, and their number.

    Parameters
    ----------
    net
        A :func:`topicweave.kernels.spider_network.new_network` with a maximum degree of at least 1; changed.
    groups
        The :func:`topicweave.kernels.spider_groups.new_groups` of the same nodes, or None; changed.
    order
        The nodes in the order they choose, int64.
    k_greedy, k_random
        How often greedy and random links are to cover each topic.
    goes_on
        Whether a node raises its targets and continues until it has the maximum degree or no candidate is left.
    generator
        uint64 array of one, not 0: the state of the random numbers; changed.
    newest
        int64 (n), at first -1: the newest link by which others chose a node before its own turn; changed.
    links, num_edges
        int64 (some, 3), in the order chosen: both ends, ``u < v``, and the link by which the chosen end was chosen
        before this one (-1 for none); and their number. Changed in place, or returned as larger arrays if more space
        was needed.
    """
    chosen = np.empty(len(newest), dtype=np.int64)
    for v in order:
        net.chosen_by[v] = v
        if groups is not None:
            hide(groups, v)
        at = newest[v]
        while at >= 0:
            w = links[at, 0] + links[at, 1] - v
            net.chosen_by[w] = v
            if groups is not None:
                hide(groups, w)
            at = links[at, 2]
        num_chosen = take_turn(net, groups, generator, v, k_greedy, k_random, goes_on, chosen)
        if groups is not None:
            show_hidden(groups, net.degrees, net.max_degree)
        if num_edges + num_chosen > len(links):
            grown = np.empty((2 * (num_edges + num_chosen), 3), dtype=np.int64)
            for at in range(num_edges):
                for column in range(3):
                    grown[at, column] = links[at, column]
            links = grown
        for w in chosen[:num_chosen]:
            links[num_edges, 0] = min(v, w)
            links[num_edges, 1] = max(v, w)
            links[num_edges, 2] = newest[w]
            newest[w] = num_edges
            num_edges += 1
    return links, num_edges
