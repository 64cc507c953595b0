"""Processes of one group that a single look at their states misjudges, for tests of that look.

threads FOLDER: the main thread ends, so that the process is shown as a zombie; another thread goes on
until the file `stop` exists, and writes the file `done`.

chain FOLDER: a process of the group starts the next one and ends, again and again, until the file `stop`
exists; the last one writes the file `survived`. The first process of the group stays a zombie. This
program ends once none of the others is left.
"""
import ctypes
import os
import sys
import threading
import time

mode, folder = sys.argv[1:]
libc = ctypes.CDLL(None)
PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def path(name):
    return os.path.join(folder, name)


def write(name, text=''):
    with open(path(name) + '.new', 'w') as file:
        file.write(text)
    os.rename(path(name) + '.new', path(name))


def threads():
    def go_on():
        while not os.path.exists(path('stop')):
            time.sleep(0.005)
        write('done')
        os._exit(0)

    threading.Thread(target=go_on).start()
    libc.pthread_exit(None)


def chain():
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    keeper = os.fork()
    if keeper == 0:
        # Its child, the first process of the group, is never waited for.
        if os.fork() == 0:
            os.setpgid(0, 0)
            write('group', str(os.getpid()))
            run_on()
        while not os.path.exists(path('stop')):
            time.sleep(0.005)
        os._exit(0)
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass


def run_on():
    while not os.path.exists(path('stop')):
        if os.fork() != 0:
            os._exit(0)
    write('survived')
    os._exit(0)


{'threads': threads, 'chain': chain}[mode]()
