/* A row as files of a directory, one file for each version, read by listing the directory.
 *
 * A listing is not atomic: a file that is created or removed while it runs may be missing in it.
 * The row is never missing here, so no reader may take it for missing. Rules: a writer keeps each
 * version for T after the next one was created, and a reader lists twice before it believes that a
 * row is missing. A listing takes less than T; STALLS listings take longer, because the process
 * stops.
 */
#ifndef T
#define T 2
#endif
#ifndef STALLS
#define STALLS 1
#endif

/* Mutants: number, rules and holes, what is wrong. */
#define REMOVES_AT_ONCE 1 /* M1 hole-13: a version is removed once the next one exists */
#define BELIEVES_FIRST 2 /* M5 hole-13: one listing without the row suffices */

byte MUT;
#define KEPT (MUT == REMOVES_AT_ONCE -> 0 : T)
#define NEEDED (MUT == BELIEVES_FIRST -> 1 : 2)

bool isListing;
byte lasted; /* time since the listing began, at most T */
/* The version that was the newest when the listing began. */
bool isReplaced, isRemoved;
byte since; /* time since it was replaced, at most T */
byte absences, stalls;

init {
  c_code { char *value = getenv("MUT"); now.MUT = value ? atoi(value) : 0; };
  do
  :: d_step {
    /* Time. */
    !isListing || lasted + 1 != T || stalls < STALLS ->
    if :: isReplaced && since < T -> since++ :: else fi;
    if
    :: isListing && lasted < T -> lasted++; if :: lasted == T -> stalls++ :: else fi
    :: else
    fi }
  :: d_step { !isListing -> isListing = true }
  /* The writer. */
  :: d_step { isListing && !isReplaced -> isReplaced = true; since = 0 }
  :: d_step { isReplaced && !isRemoved && since >= KEPT -> isRemoved = true }
  /* The listing ends. If its version was removed, it may have missed every file. */
  :: d_step {
    isListing ->
    absences = (isRemoved -> absences + 1 : 0);
    isListing = false; lasted = 0; isReplaced = false; isRemoved = false; since = 0;
    assert(absences < NEEDED) }
  od
}
