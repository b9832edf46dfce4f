// Sums of charges, kept by subnet.
#include "cloud/aws/launch/subnet_book.h"

// No subnet has more, whatever a description says.
static const int64_t ADDRESSES_MAX = 1 << 24;

void subnet_book_free(SubnetBook *book) {
    arena_free(&book->arena);
    *book = (SubnetBook){0};
}

static SubnetAddresses *find(const SubnetBook *book, Symbol id) {
    for (vec_each(SubnetAddresses, subnet, &book->subnets)) {
        if (subnet->id == id)
            return subnet;
    }
    return NULL;
}

static SubnetAddresses *find_or_add(SubnetBook *book, Symbol id) {
    SubnetAddresses *subnet = find(book, id);

    if (!subnet) {
        subnet = vec_add(&book->arena, &book->subnets);
        subnet->id = id;
    }
    return subnet;
}

// --- what EC2 says

static void describe(SubnetBook *book, Symbol id, int64_t addresses) {
    SubnetAddresses *subnet = find_or_add(book, id);

    subnet->described = addresses < 0 ? 0 : addresses < ADDRESSES_MAX ? addresses : ADDRESSES_MAX;
    subnet->is_known = true;
}

void subnet_book_refresh(SubnetBook *book, Symbols *symbols, const Ec2SubnetVec *found) {
    for (vec_each(const Ec2Subnet, subnet, found))
        describe(book, symbol_intern(symbols, subnet->subnet_id), subnet->available_ip_address_count.value);
}

void subnet_book_empty(SubnetBook *book, Symbol id) {
    describe(book, id, 0);
}

// --- charges

void subnet_book_charge(SubnetBook *book, uint64_t launch, Symbol subnet, int64_t addresses, int64_t now_ns) {
    vec_push(&book->arena, &book->charges,
             (SubnetCharge){launch, subnet, addresses, ns_add(now_ns, SUBNET_CHARGED_NS)});
    find_or_add(book, subnet)->charged += addresses;
}

// Ends the charges of a launch, and those that end at that time or before.
static void end_charges(SubnetBook *book, uint64_t launch, int64_t now_ns) {
    uint32_t kept = 0;

    for (vec_each(const SubnetCharge, charge, &book->charges)) {
        if (charge->launch == launch || charge->until_ns <= now_ns)
            find(book, charge->subnet)->charged -= charge->addresses;
        else
            book->charges.items[kept++] = *charge;
    }
    book->charges.count = kept;
}

void subnet_book_discharge(SubnetBook *book, uint64_t launch) {
    end_charges(book, launch, INT64_MIN);
}

void subnet_book_sweep(SubnetBook *book, int64_t now_ns) {
    end_charges(book, 0, now_ns);
}

// --- asked

int64_t subnet_book_addresses(const SubnetBook *book, Symbol id) {
    const SubnetAddresses *subnet = find(book, id);

    return subnet ? subnet->described - subnet->charged : 0;
}

bool subnet_book_can_hold(const SubnetBook *book, Symbol id, int64_t addresses) {
    const SubnetAddresses *subnet = find(book, id);

    return !subnet || !subnet->is_known || subnet->described - subnet->charged >= addresses;
}
