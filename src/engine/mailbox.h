// Mailbox: the engine's only input. Many threads post, the engine's thread takes.
//
// Mail is a linked list, so posting allocates nothing and never fails. Its bounds:
//   real mode      watches wait while `limit` mails are queued (MAIL_MAY_WAIT): the connections to the API server fill
//   up
//                  and nothing is lost. Jobs never wait; there are only as many as the engine has submitted;
//   virtual mode   posting never waits, because the thread that posts is the one that takes. There are as many mails as
//                  one step of the embedded server posts: a burst of 100,000 events takes 100,000 mails until the next
//                  turn.
// Posting waits only while the mailbox is served (mailbox_serve), so that no thread waits for an engine that does not
// run.
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Head of every mail. The taker owns it; mail that is posted after the mailbox was closed is discarded.
typedef struct Mail Mail;
struct Mail {
    Mail *next;
    int type; // MAIL_WATCH_EVENT or MAIL_JOB
    void (*discard)(Mail *mail);
};

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t room; // signalled for posters that wait
    Mail *first, **last;
    uint32_t depth, limit;
    bool served;
    atomic_bool closed;
    int wake_fd; // eventfd: readable when there is mail, or after mailbox_wake
} Mailbox;

enum { MAILBOX_LIMIT = 8192 };

typedef enum { MAIL_AT_ONCE, MAIL_MAY_WAIT } MailPatience;

// limit > 0: mails in the mailbox from which on MAIL_MAY_WAIT waits.
void mailbox_init(Mailbox *mailbox, uint32_t limit);
// Discards what is left. No thread may use the mailbox any more.
void mailbox_free(Mailbox *mailbox);

// Posts a mail. False: the mailbox is closed, and the mail was discarded. Any thread. O(1).
bool mailbox_post(Mailbox *mailbox, Mail *mail, MailPatience patience);
// Takes all mail, oldest first; NULL: none. O(1).
Mail *mailbox_take(Mailbox *mailbox);
uint32_t mailbox_depth(Mailbox *mailbox);

// Sets whether a thread takes mail from now on (see above).
void mailbox_serve(Mailbox *mailbox, bool served);
// Closes the mailbox: posters that wait return, all mail is discarded, and no more is accepted.
void mailbox_close(Mailbox *mailbox);
static inline bool mailbox_is_closed(const Mailbox *mailbox) {
    return atomic_load(&mailbox->closed);
}

// Sleeps until there is mail, mailbox_wake was called, or the time has passed (INT64_MAX: no timeout).
void mailbox_wait(Mailbox *mailbox, int64_t timeout_ns);
// Any thread, and signal handlers.
void mailbox_wake(Mailbox *mailbox);
