// A list under a lock, and an eventfd to sleep on, which a signal handler can write to (unlike a condition variable).
#include "engine/mailbox.h"

#include "base/check.h"
#include "base/time.h"
#include "engine/jitter.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

void mailbox_init(Mailbox *mailbox, uint32_t limit) {
    CHECK(limit > 0, "a mailbox without room");
    memset(mailbox, 0, sizeof *mailbox);
    pthread_mutex_init(&mailbox->lock, NULL);
    pthread_cond_init(&mailbox->room, NULL);
    mailbox->last = &mailbox->first;
    mailbox->limit = limit;
    atomic_init(&mailbox->closed, false);
    mailbox->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CHECK(mailbox->wake_fd >= 0, "no eventfd: %s", strerror(errno));
}

static void discard_all(Mail *mail) {
    while (mail) {
        Mail *next = mail->next;

        mail->discard(mail);
        mail = next;
    }
}

void mailbox_free(Mailbox *mailbox) {
    discard_all(mailbox_take(mailbox));
    close(mailbox->wake_fd);
    pthread_cond_destroy(&mailbox->room);
    pthread_mutex_destroy(&mailbox->lock);
}

void mailbox_wake(Mailbox *mailbox) {
    uint64_t one = 1;
    int before = errno;
    ssize_t written = write(mailbox->wake_fd, &one, sizeof one); // EAGAIN: the engine is awake already

    (void)written;
    errno = before;
}

bool mailbox_post(Mailbox *mailbox, Mail *mail, MailPatience patience) {
    bool accepted, first;

    jitter();
    pthread_mutex_lock(&mailbox->lock);
    while (patience == MAIL_MAY_WAIT && mailbox->served && mailbox->depth >= mailbox->limit &&
           !mailbox_is_closed(mailbox))
        pthread_cond_wait(&mailbox->room, &mailbox->lock);
    accepted = !mailbox_is_closed(mailbox);
    first = mailbox->depth == 0;
    if (accepted) {
        mail->next = NULL;
        *mailbox->last = mail;
        mailbox->last = &mail->next;
        mailbox->depth++;
    }
    pthread_mutex_unlock(&mailbox->lock);
    if (!accepted)
        mail->discard(mail);
    else if (first)
        mailbox_wake(mailbox);
    return accepted;
}

static Mail *take_locked(Mailbox *mailbox) {
    Mail *all = mailbox->first;

    mailbox->first = NULL;
    mailbox->last = &mailbox->first;
    mailbox->depth = 0;
    return all;
}

Mail *mailbox_take(Mailbox *mailbox) {
    Mail *all;

    jitter();
    pthread_mutex_lock(&mailbox->lock);
    all = take_locked(mailbox);
    pthread_cond_broadcast(&mailbox->room);
    pthread_mutex_unlock(&mailbox->lock);
    return all;
}

uint32_t mailbox_depth(Mailbox *mailbox) {
    uint32_t depth;

    pthread_mutex_lock(&mailbox->lock);
    depth = mailbox->depth;
    pthread_mutex_unlock(&mailbox->lock);
    return depth;
}

void mailbox_serve(Mailbox *mailbox, bool served) {
    pthread_mutex_lock(&mailbox->lock);
    mailbox->served = served;
    pthread_cond_broadcast(&mailbox->room);
    pthread_mutex_unlock(&mailbox->lock);
}

void mailbox_close(Mailbox *mailbox) {
    Mail *all;

    jitter();
    pthread_mutex_lock(&mailbox->lock);
    atomic_store(&mailbox->closed, true);
    all = take_locked(mailbox);
    pthread_cond_broadcast(&mailbox->room);
    pthread_mutex_unlock(&mailbox->lock);
    discard_all(all);
}

void mailbox_wait(Mailbox *mailbox, int64_t timeout_ns) {
    struct pollfd wanted = {.fd = mailbox->wake_fd, .events = POLLIN};
    struct timespec timeout = timespec_of_ns(timeout_ns);
    uint64_t count;

    if (timeout_ns < 0)
        timeout = (struct timespec){0};
    if (ppoll(&wanted, 1, timeout_ns == INT64_MAX ? NULL : &timeout, NULL) > 0) {
        ssize_t got = read(mailbox->wake_fd, &count, sizeof count); // EAGAIN: another thread has read it

        (void)got;
    }
}
