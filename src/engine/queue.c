// Work queue: a heap of entries by time, and a chained hash table that finds them by key. Entries live in one array and
// are reused; heap and table hold their numbers.
#include "engine/queue.h"

#include "base/alloc.h"
#include "base/heap.h"

enum { NONE = UINT32_MAX, FIRST_CAPACITY = 64, FAILURES_MAX = 62 };

typedef struct {
    Key key;
    uint32_t controller;
    uint32_t next;     // in its hash chain, or in the free list
    uint32_t place;    // in the heap
    uint32_t held;     // nested holds
    uint32_t failures; // in a row
    bool parked;       // due while held: back into the heap on release
    int64_t at_ns;
    uint64_t order;    // of enqueueing
    Symbol symbols[2]; // the symbols of the key, held in the table
    uint32_t symbol_count;
} Entry;

struct Queue {
    SymbolTable *symbols;
    Entry *entries;
    uint32_t capacity, used, free, known;
    Heap heap;
    uint32_t *chains;
    uint32_t chain_mask;
    uint32_t parked;
    uint64_t asked;
};

// --- entries

static uint32_t *chain_of(const Queue *queue, uint32_t controller, Key key) {
    uint64_t hash = hash_combine(controller, (uint64_t)key.ns << 32 | key.name);

    return &queue->chains[hash & queue->chain_mask];
}

static void grow(Queue *queue, uint32_t capacity) {
    RESIZE(queue->entries, capacity);
    RESIZE(queue->chains, capacity);
    queue->capacity = capacity;
    queue->chain_mask = capacity - 1;
    memset(queue->chains, 0xff, sizeof *queue->chains * capacity);
    for (uint32_t i = 0; i < queue->used; i++) { // all entries are in use, else the table would not grow
        uint32_t *chain = chain_of(queue, queue->entries[i].controller, queue->entries[i].key);

        queue->entries[i].next = *chain;
        *chain = i;
    }
}

Queue *queue_new(SymbolTable *table) {
    Queue *queue = NEW(Queue);

    queue->symbols = table;
    queue->free = NONE;
    grow(queue, FIRST_CAPACITY);
    return queue;
}

void queue_free(Queue *queue) {
    if (!queue)
        return;
    free(queue->entries);
    heap_free(&queue->heap);
    free(queue->chains);
    free(queue);
}

static Entry *find(const Queue *queue, uint32_t controller, Key key) {
    for (uint32_t i = *chain_of(queue, controller, key); i != NONE; i = queue->entries[i].next) {
        Entry *entry = &queue->entries[i];

        if (entry->controller == controller && key_eq(entry->key, key))
            return entry;
    }
    return NULL;
}

static void hold_symbols(const Queue *queue, Entry *entry) {
    SymbolHolder holder = {.table = queue->symbols};

    if (!queue->symbols)
        return;
    symbol_hold(&holder, entry->key.ns);
    symbol_hold(&holder, entry->key.name);
    entry->symbol_count = holder.count;
    symbol_holder_list(&holder, entry->symbols);
}

static Entry *find_or_make(Queue *queue, uint32_t controller, Key key) {
    Entry *entry = find(queue, controller, key);
    uint32_t number = queue->free, *chain;

    if (entry)
        return entry;
    if (number != NONE) {
        queue->free = queue->entries[number].next;
    } else {
        if (queue->used == queue->capacity)
            grow(queue, queue->capacity * 2);
        number = queue->used++;
    }
    chain = chain_of(queue, controller, key);
    entry = &queue->entries[number];
    *entry = (Entry){.key = key, .controller = controller, .next = *chain, .place = HEAP_NONE};
    *chain = number;
    queue->known++;
    hold_symbols(queue, entry);
    return entry;
}

// Frees an entry without information.
static void tidy(Queue *queue, Entry *entry) {
    uint32_t number = (uint32_t)(entry - queue->entries), *link;

    if (entry->place != HEAP_NONE || entry->parked || entry->held || entry->failures)
        return;
    link = chain_of(queue, entry->controller, entry->key);
    while (*link != number)
        link = &queue->entries[*link].next;
    *link = entry->next;
    if (entry->symbol_count)
        symbols_release(queue->symbols, entry->symbols, entry->symbol_count);
    entry->next = queue->free;
    queue->free = number;
    queue->known--;
}

// --- the heap

static bool is_before(const void *owner, uint32_t a, uint32_t b) {
    const Queue *queue = owner;
    const Entry *x = &queue->entries[a], *y = &queue->entries[b];

    return x->at_ns != y->at_ns ? x->at_ns < y->at_ns : x->order < y->order;
}

static uint32_t *place_of(void *queue, uint32_t number) {
    return &((Queue *)queue)->entries[number].place;
}

static const HeapOrder by_time = {is_before, place_of};

static void wait_in_heap(Queue *queue, Entry *entry) {
    heap_add(&queue->heap, &by_time, queue, (uint32_t)(entry - queue->entries));
}

static Entry *first_of(const Queue *queue) {
    return &queue->entries[queue->heap.items[0]];
}

// --- enqueueing and taking

void queue_ask(Queue *queue, uint32_t controller, Key key, int64_t at_ns) {
    Entry *entry = find_or_make(queue, controller, key);
    bool waits = entry->place != HEAP_NONE || entry->parked;

    if (waits && entry->at_ns <= at_ns)
        return;
    entry->at_ns = at_ns;
    entry->order = queue->asked++;
    if (entry->place != HEAP_NONE)
        heap_update(&queue->heap, &by_time, queue, (uint32_t)(entry - queue->entries));
    else if (!entry->parked)
        wait_in_heap(queue, entry);
}

// Parks keys that are due but held: out of the heap until their release.
static void park_held(Queue *queue, int64_t now_ns) {
    while (queue->heap.count) {
        Entry *first = first_of(queue);

        if (!first->held || first->at_ns > now_ns)
            return;
        heap_take(&queue->heap, &by_time, queue);
        first->parked = true;
        queue->parked++;
    }
}

bool queue_take(Queue *queue, int64_t now_ns, uint64_t before, uint32_t *ret_controller, Key *ret_key) {
    Entry *entry;

    park_held(queue, now_ns);
    if (!queue->heap.count)
        return false;
    entry = first_of(queue);
    if (entry->at_ns > now_ns || entry->order >= before)
        return false;
    heap_take(&queue->heap, &by_time, queue);
    *ret_controller = entry->controller;
    *ret_key = entry->key;
    tidy(queue, entry);
    return true;
}

uint64_t queue_moment(const Queue *queue) {
    return queue->asked;
}

void queue_hold(Queue *queue, uint32_t controller, Key key) {
    find_or_make(queue, controller, key)->held++;
}

void queue_release(Queue *queue, uint32_t controller, Key key) {
    Entry *entry = find(queue, controller, key);

    CHECK(entry && entry->held, "a key is released that nobody holds");
    entry->held--;
    if (!entry->held && entry->parked) {
        entry->parked = false;
        queue->parked--;
        wait_in_heap(queue, entry);
    }
    tidy(queue, entry);
}

bool queue_is_held(const Queue *queue, uint32_t controller, Key key) {
    const Entry *entry = find(queue, controller, key);

    return entry && entry->held;
}

int64_t queue_fail(Queue *queue, uint32_t controller, Key key, int64_t first_ns, int64_t max_ns) {
    Entry *entry = find_or_make(queue, controller, key);
    uint32_t doublings = entry->failures;

    if (entry->failures < FAILURES_MAX)
        entry->failures++;
    if (first_ns > max_ns >> doublings)
        return max_ns;
    return first_ns << doublings;
}

void queue_succeed(Queue *queue, uint32_t controller, Key key) {
    Entry *entry = find(queue, controller, key);

    if (!entry)
        return;
    entry->failures = 0;
    tidy(queue, entry);
}

int64_t queue_next_ns(Queue *queue) {
    park_held(queue, INT64_MAX);
    return queue->heap.count ? first_of(queue)->at_ns : INT64_MAX;
}

uint32_t queue_waiting(const Queue *queue) {
    return queue->heap.count + queue->parked;
}

uint32_t queue_known(const Queue *queue) {
    return queue->known;
}
