// The one way into the engine: many threads post, the engine's takes.
//
// Mail is a linked list, so posting allocates nothing and never fails. What bounds it:
//   real life     watches wait while `limit` mails lie there (MAIL_MAY_WAIT): the API server's connection fills up
//                 behind them, and nothing is lost. Jobs never wait; there are only as many as the engine has
//                 submitted.
//   virtual life  nobody waits, because who posts is the thread that would have to take. There are as many mails as one
//                 step of the embedded server has told: a burst of 100,000 events takes 100,000 mails until the next
//                 turn.
// Waiting is allowed only while somebody takes (mailbox_serve), so that nobody waits for an engine that is not run.
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// The head of every mail. Who takes it, owns it; one that arrives after the mailbox was closed is discarded.
typedef struct Mail Mail;
struct Mail {
    Mail *next;
    int type; // for the taker
    void (*discard)(Mail *mail);
};

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t room; // for posters that wait
    Mail *first, **last;
    uint32_t depth, limit;
    bool served;
    atomic_bool closed;
    int wake_fd; // eventfd: readable when there is mail, or somebody called mailbox_wake
} Mailbox;

enum { MAILBOX_LIMIT = 8192 };

typedef enum { MAIL_AT_ONCE, MAIL_MAY_WAIT } MailPatience;

// limit > 0: mails that may lie there before those wait that may.
void mailbox_init(Mailbox *mailbox, uint32_t limit);
// Discards what is left. Nobody may use it any more.
void mailbox_free(Mailbox *mailbox);

// False: closed, the mail was discarded. Any thread. O(1).
bool mailbox_post(Mailbox *mailbox, Mail *mail, MailPatience patience);
// Everything that is there, oldest first; NULL: nothing. O(1).
Mail *mailbox_take(Mailbox *mailbox);
uint32_t mailbox_depth(Mailbox *mailbox);

// Whether a thread takes from now on (see above).
void mailbox_serve(Mailbox *mailbox, bool served);
// Nothing is accepted from now on; who waits gives up; what is there is discarded.
void mailbox_close(Mailbox *mailbox);
static inline bool mailbox_is_closed(const Mailbox *mailbox) {
    return atomic_load(&mailbox->closed);
}

// Sleeps until there is mail, mailbox_wake, or the time has passed (INT64_MAX: however long).
void mailbox_wait(Mailbox *mailbox, int64_t timeout_ns);
// Any thread, and signal handlers.
void mailbox_wake(Mailbox *mailbox);
