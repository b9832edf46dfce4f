// The mailbox alone: order, back-pressure, closing, sleeping.
#include "engine/mailbox.h"
#include "harness/test.h"

#include <sched.h>
#include <stdlib.h>

typedef struct {
    Mail mail;
    uint32_t from, number;
} Letter;

static atomic_uint discarded;

static void discard(Mail *mail) {
    atomic_fetch_add(&discarded, 1);
    free(mail);
}

static Mail *letter(uint32_t from, uint32_t number) {
    Letter *made = calloc(1, sizeof *made);

    *made = (Letter){{.discard = discard}, from, number};
    return &made->mail;
}

static uint32_t count_and_free(Mail *mail) {
    uint32_t count = 0;

    for (Mail *next; mail; mail = next, count++) {
        next = mail->next;
        free(mail);
    }
    return count;
}

TEST(mail_comes_in_the_order_of_posting) {
    Mailbox mailbox;
    Mail *mail;

    mailbox_init(&mailbox, 4);
    for (uint32_t i = 0; i < 10; i++) // without a consumer no producer waits, however full it is
        assert_true(mailbox_post(&mailbox, letter(0, i), MAIL_MAY_WAIT));
    assert_int_equal(mailbox_depth(&mailbox), 10);
    mail = mailbox_take(&mailbox);
    for (uint32_t i = 0; i < 10; i++) {
        Mail *next = mail->next;

        assert_int_equal(((Letter *)(void *)mail)->number, i);
        free(mail);
        mail = next;
    }
    assert_null(mail);
    assert_null(mailbox_take(&mailbox));
    mailbox_free(&mailbox);
}

// Virtual mode: one step of the embedded server delivers 100,000 events, and the next turn takes them all.
TEST(a_burst_does_not_wait_in_virtual_time) {
    Mailbox mailbox;

    mailbox_init(&mailbox, MAILBOX_LIMIT);
    for (uint32_t i = 0; i < 100000; i++)
        assert_true(mailbox_post(&mailbox, letter(0, i), MAIL_MAY_WAIT));
    assert_int_equal(mailbox_depth(&mailbox), 100000);
    assert_int_equal(count_and_free(mailbox_take(&mailbox)), 100000);
    mailbox_free(&mailbox);
}

enum { POSTERS = 3, LETTERS = 20000 };

typedef struct {
    Mailbox *mailbox;
    uint32_t number;
} Poster;

static void *post_many(void *context) {
    Poster *poster = context;

    for (uint32_t i = 0; i < LETTERS; i++) {
        if (!mailbox_post(poster->mailbox, letter(poster->number, i), MAIL_MAY_WAIT))
            return NULL;
    }
    return poster;
}

// Real mode: of a burst of 60,000 from three threads never more than the limit are in the mailbox, none is lost, and
// the mail of each thread keeps its order.
TEST(a_burst_waits_in_real_time) {
    enum { LIMIT = 64 };
    Mailbox mailbox;
    pthread_t threads[POSTERS];
    Poster posters[POSTERS];
    uint32_t next[POSTERS] = {0}, taken = 0;

    mailbox_init(&mailbox, LIMIT);
    mailbox_serve(&mailbox, true);
    for (uint32_t i = 0; i < POSTERS; i++) {
        posters[i] = (Poster){&mailbox, i};
        pthread_create(&threads[i], NULL, post_many, &posters[i]);
    }
    while (taken < POSTERS * LETTERS) {
        uint32_t count = 0;

        mailbox_wait(&mailbox, INT64_MAX);
        for (Mail *mail = mailbox_take(&mailbox), *after; mail; mail = after, count++) {
            Letter *got = (Letter *)(void *)mail;

            after = mail->next;
            assert_int_equal(got->number, next[got->from]++);
            free(mail);
        }
        assert_true(count <= LIMIT);
        taken += count;
    }
    for (uint32_t i = 0; i < POSTERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(mailbox_depth(&mailbox), 0);
    mailbox_free(&mailbox);
}

TEST(jobs_are_never_held_back) {
    Mailbox mailbox;

    mailbox_init(&mailbox, 2);
    mailbox_serve(&mailbox, true);
    for (uint32_t i = 0; i < 5; i++)
        assert_true(mailbox_post(&mailbox, letter(0, i), MAIL_AT_ONCE));
    assert_int_equal(count_and_free(mailbox_take(&mailbox)), 5);
    mailbox_free(&mailbox);
}

// Closing: threads that wait in a sink return, later mail is dropped, and nothing leaks.
TEST(closing_wakes_waiting_threads) {
    Mailbox mailbox;
    pthread_t thread;
    Poster poster = {&mailbox, 0};
    void *finished;

    atomic_store(&discarded, 0);
    mailbox_init(&mailbox, 8);
    mailbox_serve(&mailbox, true);
    pthread_create(&thread, NULL, post_many, &poster);
    while (mailbox_depth(&mailbox) < 8)
        sched_yield();
    mailbox_close(&mailbox);
    pthread_join(thread, &finished);
    assert_null(finished);
    assert_int_equal(atomic_load(&discarded), 9);
    assert_false(mailbox_post(&mailbox, letter(0, 0), MAIL_AT_ONCE));
    assert_int_equal(atomic_load(&discarded), 10);
    mailbox_free(&mailbox);
}

TEST(sleep_ends_by_mail_or_by_a_wake) {
    Mailbox mailbox;

    mailbox_init(&mailbox, 8);
    mailbox_wake(&mailbox);
    mailbox_wait(&mailbox, INT64_MAX); // would sleep for ever
    mailbox_post(&mailbox, letter(0, 0), MAIL_AT_ONCE);
    mailbox_wait(&mailbox, INT64_MAX);
    mailbox_wait(&mailbox, 0);
    mailbox_wait(&mailbox, -5);
    assert_int_equal(mailbox_depth(&mailbox), 1);
    mailbox_free(&mailbox); // with mail in it
}
