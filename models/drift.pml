/* The arithmetic of drifting clocks in rules M2 and M4: one member, one candidate, one session.
 *
 * A tick is 2 units of real time. In each tick a clock runs 1, 2 or 3 units, so rho is 1/2. T is
 * 2·TK units. The member counts T(1-rho) = TK units of its own clock from the moment before it
 * sends a renewal, and the candidate counts T(1+rho) = 3·TK units of its own clock from the moment
 * when it receives the record. session.pml has all other rules, on one clock.
 */
#ifndef TK
#define TK 3
#endif

/* Mutants: number, rules, what is wrong. */
#define MEMBER_IGNORES_DRIFT 1 /* M2: the member counts T */
#define CANDIDATE_IGNORES_DRIFT 2 /* M4: the candidate counts T */
#define FROM_REPLY 3 /* M2: the member counts from the reply */

byte MUT;
#define KEEP (MUT == MEMBER_IGNORES_DRIFT -> 2 * TK : TK)
#define WAIT (MUT == CANDIDATE_IGNORES_DRIFT -> 2 * TK : 3 * TK)

#define IDLE 0
#define SENT 1
#define DONE 2

byte left;       /* units of its own clock for which the member still leads */
byte stage, age; /* its renewal: where it is, and units of its clock since it was sent */
bool isNew;      /* the candidate has not received the newest record */
byte waited;     /* units of the candidate's clock since it received the newest record */
bool isDeposed;
byte member, candidate;

init {
  c_code { char *value = getenv("MUT"); now.MUT = value ? atoi(value) : 0; };
  left = KEEP;
  do
  :: atomic {
    select(member : 1 .. 3); select(candidate : 1 .. 3);
    d_step {
      left = (left > member -> left - member : 0);
      if :: stage -> age = (age + member > KEEP -> KEEP : age + member) :: else fi;
      waited = (waited + candidate > WAIT -> WAIT : waited + candidate);
      member = 0; candidate = 0;
      assert(!(isDeposed && left))
    } }
  :: d_step { stage == IDLE && left > 0 -> stage = SENT; age = 0 }
  :: d_step { stage == SENT -> stage = (isDeposed -> IDLE : DONE); age = (isDeposed -> 0 : age); isNew = !isDeposed }
  :: d_step { stage == SENT -> stage = IDLE; age = 0 }
  :: d_step {
    stage == DONE ->
    if :: MUT == FROM_REPLY -> age = 0 :: else fi;
    if :: left > 0 && KEEP - age > left -> left = KEEP - age :: else fi;
    stage = IDLE; age = 0 }
  :: d_step { isNew -> isNew = false; waited = 0 }
  :: d_step { !isDeposed && !isNew && waited >= WAIT -> isDeposed = true; assert(!left) }
  od
}
