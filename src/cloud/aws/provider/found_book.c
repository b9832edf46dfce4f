// The last list, in an arena that the next one replaces.
#include "cloud/aws/provider/found_book.h"

void provider_found_put(AwsProvider *provider, const FoundInstanceVec *found, Mono asked) {
    ProviderInstances *book = provider->instances;
    FoundInstanceVec copies = {0};
    Arena arena = {0}, old;

    for (vec_each(const FoundInstance, instance, found))
        vec_push(&arena, &copies, found_instance_copy(&arena, instance));
    pthread_mutex_lock(&book->lock);
    old = book->arena;
    book->arena = arena;
    book->found = copies;
    book->listed = asked;
    pthread_mutex_unlock(&book->lock);
    arena_free(&old);
}

bool provider_found_since(AwsProvider *provider, Mono moment) {
    ProviderInstances *book = provider->instances;
    bool is_since;

    pthread_mutex_lock(&book->lock);
    is_since = mono_is_set(book->listed) && book->listed.ns >= moment.ns;
    pthread_mutex_unlock(&book->lock);
    return is_since;
}

bool provider_found_begin(AwsProvider *provider) {
    ProviderInstances *book = provider->instances;
    bool is_own;

    pthread_mutex_lock(&book->lock);
    is_own = !book->is_listing;
    book->is_listing = true;
    pthread_mutex_unlock(&book->lock);
    return is_own;
}

void provider_found_end(AwsProvider *provider) {
    ProviderInstances *book = provider->instances;

    pthread_mutex_lock(&book->lock);
    book->is_listing = false;
    pthread_mutex_unlock(&book->lock);
}

bool provider_found_get(AwsProvider *provider, Arena *arena, Slice id, FoundInstance *ret_found) {
    ProviderInstances *book = provider->instances;
    const FoundInstance *found;

    pthread_mutex_lock(&book->lock);
    found = instances_found(&book->found, id);
    if (found)
        *ret_found = found_instance_copy(arena, found);
    pthread_mutex_unlock(&book->lock);
    return found != NULL;
}
