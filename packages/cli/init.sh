# Process 1 of a container, for `leadership run` and `leadership guard`: starts the program of its
# arguments, passes signals on to it, reaps every process whose parent has ended, and exits with the
# exit code of the program. Any shell reaps all children while it waits for one of them.

# A background process has no standard input of its own accord.
exec 3<&0
"$@" <&3 3<&- &
program=$!
exec 3<&-

for signal in TERM QUIT HUP USR1 USR2; do
  trap "kill -$signal $program" $signal
done
# A terminal sends this signal to the program as well.
trap '[ -t 0 ] || kill -INT $program' INT

while :; do
  wait $program
  code=$?
  # A signal has interrupted the wait.
  kill -0 $program 2>/dev/null && continue
  # The program may have ended while a signal was handled. 127: its exit code was returned before.
  wait $program 2>/dev/null
  again=$?
  [ $again = 127 ] || code=$again
  exit $code
done
