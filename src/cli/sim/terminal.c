// Reading single keys from a terminal.
#include "cli/sim/terminal.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { COLUMNS_UNKNOWN = 80 };

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING = sizeof ending / sizeof *ending };

// State of the terminal, static so that a signal handler finds it.
static struct {
    struct termios before;
    struct sigaction actions[ENDING];
    volatile sig_atomic_t grabbed;
    bool quit;
} terminal;

uint32_t terminal_columns(int fd) {
    struct winsize size;

    if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return COLUMNS_UNKNOWN;
    return size.ws_col;
}

static void put_back(void) {
    if (terminal.grabbed)
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
    terminal.grabbed = 0;
}

static void end_by_signal(int number) {
    put_back();
    signal(number, SIG_DFL);
    raise(number);
}

bool terminal_grab(void) {
    struct termios keys;
    struct sigaction action = {.sa_handler = end_by_signal};

    if (tcgetattr(STDIN_FILENO, &terminal.before) != 0 || tcgetpgrp(STDIN_FILENO) != getpgrp())
        return false;
    keys = terminal.before;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    keys.c_cc[VMIN] = 0;
    keys.c_cc[VTIME] = 0;
    terminal.quit = false;
    for (size_t i = 0; i < ENDING; i++)
        sigaction(ending[i], &action, &terminal.actions[i]);
    terminal.grabbed = 1;
    return tcsetattr(STDIN_FILENO, TCSANOW, &keys) == 0;
}

void terminal_release(void) {
    if (!terminal.grabbed)
        return;
    put_back();
    for (size_t i = 0; i < ENDING; i++)
        sigaction(ending[i], &terminal.actions[i], NULL);
}

bool terminal_quit_asked(void) {
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
    char key;

    while (terminal.grabbed && !terminal.quit && poll(&ready, 1, 0) > 0 && read(STDIN_FILENO, &key, 1) == 1)
        terminal.quit = key == 'q' || key == 'Q';
    return terminal.quit;
}
