/* The session lease (rules M1-M12, docs/reference/session-lease.md) as a model for Spin.
 *
 * NP processes compete for M partitions in one store. Each has up to K sessions, one after the
 * other. A process has at most one exchange in flight, and at most one abandoned exchange that may
 * still take effect.
 *
 * Time is real time in ticks. A session is valid for at most T ticks, because its member counts
 * T(1-rho), and it may end earlier at any moment. A wait lasts at least T ticks, because the
 * candidate counts T(1+rho), and it may last longer. So these worlds contain every drift within
 * rho; drift.pml has the arithmetic. T is at least 2, or no session would outlive a tick.
 *
 * Versions are numbered anew after each step, in the same order, so the number of renewals and
 * terms has no limit. What no rule reads any more becomes 0.
 *
 * A world is a set of constants, given to Spin as -D. A mutant replaces one rule: pan reads its
 * number from the environment variable MUT. tools/src/prove lists the worlds and their mutants.
 */
#ifndef NP
#define NP 2
#endif
#ifndef K
#define K 1
#endif
#ifndef M
#define M 1
#endif
#ifndef T
#define T 2
#endif
#ifndef T0
#define T0 T /* the T of process 0; T is the greatest */
#endif
#ifndef T1
#define T1 T /* the T of the others */
#endif
#ifndef FIXED
#define FIXED 0 /* the last FIXED processes need not renew, so nobody deposes them: fewer states */
#endif
#ifndef LATE
#define LATE 0 /* bit i: process i may abandon an exchange, which may take effect later */
#endif
#ifndef DELAY
#define DELAY 0 /* the answer of an exchange is on its way for a time */
#endif
#ifndef HANDOVER
#define HANDOVER 0 /* the owner may release to a session */
#endif
#ifndef DELETE_P
#define DELETE_P 0 /* ownership rows are deleted, that many times */
#endif
#ifndef DELETE_S
#define DELETE_S 0 /* session rows are deleted, that many times */
#endif
#ifndef EDIT
#define EDIT 0 /* somebody gives a partition away by hand, or ends a session, that many times */
#endif
#ifndef EMPTY_STORE
#define EMPTY_STORE 0 /* nothing exists at first */
#endif
#ifndef FREE
#define FREE 0 /* at first the partitions are released, and process 0 has no session */
#endif
#ifndef LOSS
#define LOSS 0 /* the store goes back to an earlier state once, and is another history then */
#endif
#ifndef TOKENS
#define TOKENS 0 /* versions are chosen when a request is sent, as tokens are, and not when it takes effect */
#endif
#ifndef UNSEEN
#define UNSEEN 0 /* with LOSS: the store does not tell that it lost records; then two may lead for T */
#endif
#ifndef HIDES
#define HIDES 0 /* with UNSEEN: its positions do not show either what takes the place of lost records */
#endif
#ifndef WINDOW
#define WINDOW 3 /* at most that many changes are lost */
#endif
#ifndef OLD_COPY
#define OLD_COPY 0 /* with LOSS: the state before the loss goes on answering readings */
#endif
#ifndef NEWCOMER
#define NEWCOMER 0 /* process 1 has not read the store yet */
#endif
#ifndef READS_FIRST
#define READS_FIRST 0 /* an exchange reads, then renews, then changes, at three moments */
#endif
#ifndef GIVE_UP
#define GIVE_UP 0 /* drains time out, that many times */
#endif
#ifndef CRASH
#define CRASH 0 /* process 0 dies, that many times, and its death is proved; it starts anew while K allows */
#endif
#ifndef HAS_DIED
#define HAS_DIED 0 /* with CRASH and K=2: process 0 has died before, and begins anew */
#endif
#ifndef MUTE
#define MUTE 0 /* process 0 can renew, but not write ownership rows */
#endif
#ifndef SWEEP
#define SWEEP 0 /* dead session rows are removed */
#endif
#ifndef SHOWN
#define SHOWN 0 /* bit i: notifications show process i the row of the partition, also late ones */
#endif

/* Mutants: number, rules and holes, what is wrong. */
#define DEPOSES_AT_ONCE 1 /* M4: deposes without waiting */
#define WAIT_NOT_RESTARTED 2 /* M4: a newer record does not restart the wait */
#define DEPOSES_NEWEST 3 /* M4: deposes the newest record instead of the one that it waited for */
#define MISSING_IS_DEAD 4 /* M4: a missing session is deposed at once */
#define CLAIMS_UNDEPOSED 5 /* M4 M5: claims after the wait, without a deposition */
#define CLAIMS_WITH_DEPOSING 6 /* M4 hole-11: claims in the request that deposes, whether that succeeds or not */
#define OWN_T 7 /* M4: waits for its own T, not for the T of the record */
#define REVIVES 8 /* M2: a session that is over is valid again by a renewal that took effect late */
#define DEADLINE_FROM_REPLY 9 /* M2: the deadline counts from the reply */
#define T_SHRINKS 10 /* M2 hole-3: a renewal shortens T, and the owner leads by the longer T of before */
#define REPEATS_OPEN 11 /* M2: an open whose outcome is unknown is repeated */
#define ANY_SESSION 12 /* M3: leads by an ownership that names an older session of the process */
#define RESUMES 13 /* M3: a term that ended begins again by the same record */
#define OLD_AFTER_NEW 14 /* M3: an older version replaces a newer one */
#define CLAIMS_OWNED 15 /* M5: claims although the owner is alive */
#define CLAIMS_EMPTY 16 /* M5: claims a new life at once */
#define CLAIMS_MISSING 17 /* M5: claims a missing row itself, T after it first read it so */
#define KIND_DECIDES 18 /* M5 hole-8: a record of another kind than hold has no owner */
#define EARLIER_RELEASE 19 /* hole-10: a member of an earlier release claims a row that did not change for T */
#define NO_DOUBT 20 /* M6: no doubt after a loss */
#define NO_DOUBT_AT_FIRST 21 /* M6: no doubt at the first reading */
#define SESSION_GOES_ON 22 /* M6 hole-12: the own session goes on although its newest record is lost */
#define TERM_GOES_ON 23 /* M3 M6: a term goes on although its record is no longer there */
#define FOUND_BEGINS 24 /* M6 hole-7: a record that is found in doubt begins a term after the doubt */
#define BEGINS_IN_DOUBT 25 /* M6 hole-4: answers wants, and begins terms, in doubt */
#define ANY_HISTORY 26 /* M7: a change takes effect in any history */
#define OLD_TOKEN 27 /* M8 hole-6: a release to a session repeats the token */
#define HANDOVER_REVIVES 28 /* M8: a release makes the session that it names valid */
#define RELEASES_FIRST 29 /* M9: releases before it stops believing */
#define NO_SILENCE 30 /* M5 M9 hole-5: claims at once after its own drain time-out */
#define SILENCE_FORGOTTEN 31 /* M5 hole-14: the silence ends with the term or the session */
#define ENDS_FIRST 32 /* M9: writes ended while it leads */
#define KEEPS_SESSION 33 /* M9 hole-9: a session that cannot release goes on */
#define DEATH_BY_NAME 34 /* M10: a proof counts against any incarnation */
#define DEATH_SHORTENS_DOUBT 35 /* M6 M10: a proved death ends the doubt */
#define NEVER_SWEEPS 36 /* M11 hole-15: dead rows stay */
#define TWO_COPIES 37 /* M1 hole-1: reads from one copy and renews at another */
#define TWO_STORES 38 /* M12: ownership rows are in a part of the store that renewals do not reach */
#define RENEWS_WITHOUT_READING 39 /* M1: reads first, but the deadline counts from the renewal */
#define ANSWER_WITHOUT_POSITION 40 /* M3 hole-2: the answer to a claim begins a term, and later readings do not mention it */
#define DOUBTS_OWN_LOSS_ONLY 41 /* M6: no doubt unless something is lost that the member had read */
#define TAKES_ANY_OWNER 42 /* M5: an owner that was written by hand counts at once */
#define TAKES_ANY_END 43 /* M4: an end of a session that was written by hand counts */
#define BEGINS_UNRENEWED 44 /* M3: a row begins a term that was read while the own renewal did not take effect */

byte MUT;

#define NS (NP * K)
#define PROCESS(z) ((z) / K)
#define T_OF(i) ((i) == 0 -> T0 : T1)

/* A session row. Version 0 is a missing row. SHORT is an open session whose T is one less. */
#define ABSENT 0
#define OPEN 1
#define DEAD 2
#define SHORT 3
#define ALIVE(st) ((st) == OPEN || (st) == SHORT)
/* An ownership row: missing, a new life with nothing in effect, released, or owned by a hold, by a
 * release to the session, or by a release with the token of before. */
#define MISSING 0
#define EMPTY 1
#define NOBODY 2
#define HOLD(z) (3 + (z))
#define GIVEN(z) (3 + NS + (z))
#define GIVEN_AGAIN(z) (3 + 2 * NS + (z))
#define OWNED(own) ((own) >= 3)
#define KIND(own) (((own) - 3) / NS)
#define SESSION(own) (((own) - 3) % NS)
#define NAMES(own, i) (OWNED(own) && PROCESS(SESSION(own)) == (i))
/* The session of a process. */
#define UNOPENED 0
#define ASKED 1
#define VALID 2
#define OVER 3
/* The change in an exchange, besides the renewal. */
#define NONE 0
#define DEPOSE 1
#define OWN 2 /* writes an ownership row: claim, release or a new life */
#define BOTH 3 /* deposes and claims: only in a mutant */
#define END 4
#define REMOVE 5
/* An exchange. READING, RENEWING, CHANGING: a store that reads first. */
#define IDLE 0
#define READING 1
#define RENEWING 2
#define CHANGING 3
#define SENT 4
#define ANSWERED 5
/* Histories. */
#define UNREAD 2

typedef SessionRow { byte st; byte ver }
typedef OwnerRow {
  byte own; byte ver
#if EDIT
  ; bit hand /* the text has a wrong sum */
#endif
}
typedef Copy { SessionRow s[NS]; byte age[NS]; OwnerRow p[M]; byte history }
/* renews: the session + 1. age: time since the exchange began, or the age of the own record in the
 * answer. from: the history in which the conditions were read. */
typedef Request {
  byte stage; byte renews; byte ver; byte age; byte from;
  byte change; byte what; byte expected; byte to; byte victim; byte victimVer
#if TOKENS
  ; byte token /* the version that the change writes: chosen before it is sent (T1) */
#endif
}
typedef Process {
  byte up; byte k; byte session; byte left; byte doubt; byte history;
  SessionRow s[NS]; byte sAge[NS];
  OwnerRow p[M]; byte pAge[M];
  byte leads[M];  /* the version by which it leads, or 0 */
  byte ended[M];  /* the version of a term that ended here, or 0 */
  byte silent[M]; /* time until it may write about p after a drain time-out */
  byte work[M];   /* time for which work that was given up may run */
  byte stuck[M];  /* time since the term ended, while the session still owns p */
#if EDIT
  byte alone[M];  /* time for which p is doubted alone */
#endif
#if HIDES
  bit took;       /* whether the renewal of the exchange took effect */
  bit sure[M];    /* whether such an exchange has shown the row */
  bit blind[M];   /* whether the row as it was read is lost, and the position hides it */
#endif
  byte was[M];    /* for the judge: the version by which it led last */
  Request r; Request late;
#if LOSS || SHOWN
  byte before[M]; /* only in a mutant: the version at the position of the last reading */
#endif
#if SHOWN
  OwnerRow shown; /* a notification on its way */
#endif
  SessionRow as[NS]; OwnerRow ap[M]; byte aHistory
}

Copy store;
#if LOSS
Copy saved; byte isSaved; byte isLost;
byte changes; /* since the state was saved */
#if UNSEEN
byte overlap; /* for the judge: how long two have led */
#endif
byte newest[M]; /* for the judge: the greatest token of a term so far */
#endif
#if EDIT
byte edits;
#endif
byte deletions; byte crashes; byte givenUp; byte isMuted;
#if CRASH
byte proved[NS]; /* the session's incarnation is proved dead */
#endif
Process q[NP];
byte i, z, n, p, x, b, leaders; /* 0 between steps */

c_code {
  static int count;
  static unsigned char *version[64];
  static void use(unsigned char *v) { if (*v) version[count++] = v; }
  /* Numbers the versions in use from 1, in the same order. */
  static void renumber(void) {
    unsigned char used[256] = {0}, rank[256], next = 0;
    int v;
    for (v = 0; v < count; v++) used[*version[v]] = 1;
    for (v = 0; v < 256; v++) { next += used[v]; rank[v] = next; }
    for (v = 0; v < count; v++) *version[v] = rank[*version[v]];
    count = 0;
  }
  static void normalizeVersions(void) {
    int z, p, i;
    for (z = 0; z < NS; z++) {
      use(&now.store.s[z].ver);
#if LOSS
      use(&now.saved.s[z].ver);
#endif
      for (i = 0; i < NP; i++) {
        use(&now.q[i].s[z].ver); use(&now.q[i].as[z].ver);
        if (now.q[i].r.renews == z + 1) use(&now.q[i].r.ver);
        if (now.q[i].late.renews == z + 1) use(&now.q[i].late.ver);
        if (now.q[i].r.victim == z + 1) use(&now.q[i].r.victimVer);
        if (now.q[i].late.victim == z + 1) use(&now.q[i].late.victimVer);
      }
      renumber();
    }
    for (p = 0; p < M; p++) {
      use(&now.store.p[p].ver);
#if LOSS
      use(&now.saved.p[p].ver); use(&now.newest[p]);
#endif
      for (i = 0; i < NP; i++) {
#if LOSS || SHOWN
        use(&now.q[i].before[p]);
#endif
#if SHOWN
        use(&now.q[i].shown.ver);
#endif
        use(&now.q[i].p[p].ver); use(&now.q[i].ap[p].ver);
        use(&now.q[i].leads[p]); use(&now.q[i].ended[p]); use(&now.q[i].was[p]);
        if (now.q[i].r.what == p) use(&now.q[i].r.expected);
        if (now.q[i].late.what == p) use(&now.q[i].late.expected);
#if TOKENS
        if (now.q[i].r.what == p) use(&now.q[i].r.token);
        if (now.q[i].late.what == p) use(&now.q[i].late.token);
#endif
      }
      renumber();
    }
  }
  /* Once less than two processes are up, nothing can go wrong any more: these states become one. */
  static void finish(void) {
    int i, up = 0;
    for (i = 0; i < NP; i++) up += now.q[i].up;
#if LOSS
    if (now.isLost) now.changes = 0;
    if (now.changes > WINDOW) up = 0;
#endif
    if (up >= 2) return;
    memset(&now.store, 0, sizeof now.store);
    memset(now.q, 0, sizeof now.q);
#if CRASH
    memset(now.proved, 0, sizeof now.proved);
#endif
#if EDIT
    now.edits = 255;
#endif
    now.deletions = now.crashes = now.givenUp = now.isMuted = 255;
#if LOSS
    memset(&now.saved, 0, sizeof now.saved);
    memset(now.newest, 0, sizeof now.newest);
    now.isSaved = now.isLost = 1;
    now.changes = 0;
#endif
  }
  /* A version that no record ever had. */
  static int newSessionVersion(int z) {
    int i, v = now.store.s[z].ver;
#define above(x) if ((x) > v) v = (x)
#if LOSS
    above(now.saved.s[z].ver);
#endif
    for (i = 0; i < NP; i++) {
      above(now.q[i].s[z].ver); above(now.q[i].as[z].ver);
      if (now.q[i].r.renews == z + 1) above(now.q[i].r.ver);
      if (now.q[i].late.renews == z + 1) above(now.q[i].late.ver);
      if (now.q[i].r.victim == z + 1) above(now.q[i].r.victimVer);
      if (now.q[i].late.victim == z + 1) above(now.q[i].late.victimVer);
    }
    return v + 1;
  }
  static int newOwnerVersion(int p) {
    int i, v = now.store.p[p].ver;
#if LOSS
    above(now.saved.p[p].ver); above(now.newest[p]);
#endif
    for (i = 0; i < NP; i++) {
#if LOSS || SHOWN
      above(now.q[i].before[p]);
#endif
#if SHOWN
      above(now.q[i].shown.ver);
#endif
      above(now.q[i].p[p].ver); above(now.q[i].ap[p].ver);
      above(now.q[i].leads[p]); above(now.q[i].ended[p]); above(now.q[i].was[p]);
      if (now.q[i].r.what == p) above(now.q[i].r.expected);
      if (now.q[i].late.what == p) above(now.q[i].late.expected);
#if TOKENS
      if (now.q[i].r.what == p) above(now.q[i].r.token);
      if (now.q[i].late.what == p) above(now.q[i].late.token);
#endif
    }
    return v + 1;
  }
};

#if SHOWN
#define IS_SHOWN(i, version) (q[i].shown.ver == (version))
#else
#define IS_SHOWN(i, version) false
#endif
#if EDIT
#define setHand(target, value) target.hand = value
#define moveHand(target, source) target.hand = source.hand
#define ALONE(i, p) (q[i].alone[p] > 0)
#else
#define setHand(target, value) skip
#define moveHand(target, source) skip
#define ALONE(i, p) false
#endif
#if HIDES
#define IS_SURE(i, p) (q[i].sure[p] || IS_FIXED(i))
#else
#define IS_SURE(i, p) true
#endif
#define CURRENT(i) ((i) * K + q[i].k)
#define IS_FIXED(i) (FIXED && (i) >= NP - FIXED)
#define BELIEVES(i, p) (q[i].up && q[i].leads[p] && q[i].session == VALID && q[i].left > 0)

#if TOKENS
#define clearToken(r) r.token = 0
#define moveToken(target, source) target.token = source.token
#else
#define clearToken(r) skip
#define moveToken(target, source) skip
#endif
#define clear(r) \
  r.stage = 0; r.renews = 0; r.ver = 0; r.age = 0; r.from = 0; r.change = 0; r.what = 0; \
  r.expected = 0; r.to = 0; r.victim = 0; r.victimVer = 0; clearToken(r)
#define move(target, source) \
  target.stage = SENT; target.renews = source.renews; target.ver = source.ver; \
  target.age = source.age; target.from = source.from; target.change = source.change; \
  target.what = source.what; target.expected = source.expected; target.to = source.to; \
  target.victim = source.victim; target.victimVer = source.victimVer; \
  moveToken(target, source)
inline clearAnswer(i) {
  q[i].aHistory = 0;
  for (n : 0 .. NS - 1) { q[i].as[n].st = 0; q[i].as[n].ver = 0 }
  for (n : 0 .. M - 1) { q[i].ap[n].own = 0; q[i].ap[n].ver = 0; setHand(q[i].ap[n], 0) }
}
#define readOwners(copy, i) \
  for (n : 0 .. M - 1) { q[i].ap[n].own = copy.p[n].own; q[i].ap[n].ver = copy.p[n].ver; moveHand(q[i].ap[n], copy.p[n]) }
#define readAll(copy, i) \
  for (n : 0 .. NS - 1) { q[i].as[n].st = copy.s[n].st; q[i].as[n].ver = copy.s[n].ver } \
  readOwners(copy, i); \
  q[i].aHistory = copy.history
#define copyStore(target, source) \
  for (n : 0 .. NS - 1) { \
    target.s[n].st = source.s[n].st; target.s[n].ver = source.s[n].ver; target.age[n] = source.age[n] } \
  for (n : 0 .. M - 1) { target.p[n].own = source.p[n].own; target.p[n].ver = source.p[n].ver }
#if LOSS
#define changed() if :: isSaved && !isLost -> changes++ :: else fi
#else
#define changed() skip
#endif
inline setSession(z, state, since) {
  c_code { now.store.s[now.z].ver = newSessionVersion(now.z); };
  store.s[z].st = state; store.age[z] = since;
  changed()
}
inline setOwner(request, row, owner) {
#if TOKENS
  store.p[row].ver = request.token;
#else
  x = row;
  c_code { now.store.p[now.x].ver = newOwnerVersion(now.x); };
#endif
  store.p[row].own = owner;
  setHand(store.p[row], 0);
  changed()
}

inline endTerm(i, p) {
  if
  :: q[i].leads[p] ->
    q[i].was[p] = q[i].leads[p];
    if :: MUT != REVIVES -> q[i].ended[p] = q[i].leads[p] :: else fi;
    q[i].leads[p] = 0
  :: else
  fi
}
inline endSession(i) {
  q[i].session = OVER; q[i].left = 0;
  for (n : 0 .. M - 1) {
    endTerm(i, n);
    if :: MUT == SILENCE_FORGOTTEN -> q[i].silent[n] = 0 :: else fi
  }
}

inline normalize() {
  for (i : 0 .. NP - 1) {
    /* A process whose last session is over is done. */
    if
    :: q[i].session == OVER && q[i].k + 1 == K && MUT != REVIVES && MUT != HANDOVER_REVIVES -> q[i].up = 0
    :: else
    fi;
    if
    :: !q[i].up ->
      q[i].k = 0; q[i].session = 0; q[i].left = 0; q[i].doubt = 0; q[i].history = 0;
#if SHOWN
      q[i].shown.own = 0; q[i].shown.ver = 0; q[i].before[0] = 0;
#endif
      for (n : 0 .. NS - 1) { q[i].s[n].st = 0; q[i].s[n].ver = 0; q[i].sAge[n] = 0 }
      for (n : 0 .. M - 1) {
#if EDIT
        q[i].alone[n] = 0;
#endif
        q[i].p[n].own = 0; q[i].p[n].ver = 0; setHand(q[i].p[n], 0); q[i].pAge[n] = 0; q[i].leads[n] = 0;
        q[i].ended[n] = 0; q[i].silent[n] = 0; q[i].work[n] = 0; q[i].was[n] = 0; q[i].stuck[n] = 0
#if HIDES
        ; q[i].sure[n] = 0; q[i].blind[n] = 0
#endif
      }
    :: else ->
      for (n : 0 .. NS - 1) {
        if
        :: PROCESS(n) == i || q[i].s[n].st == DEAD || IS_FIXED(PROCESS(n)) -> q[i].sAge[n] = 0
        :: else
        fi
      }
      for (n : 0 .. M - 1) {
        if :: q[i].p[n].own != EMPTY && !(MUT == EARLIER_RELEASE || MUT == CLAIMS_MISSING) -> q[i].pAge[n] = 0 :: else fi;
        if :: q[i].ended[n] != q[i].p[n].ver -> q[i].ended[n] = 0 :: else fi;
        if :: q[i].was[n] != q[i].p[n].ver && q[i].was[n] != q[i].ap[n].ver && q[i].was[n] != store.p[n].ver && !IS_SHOWN(i, q[i].was[n]) ->
#if LOSS
          if :: q[i].was[n] != saved.p[n].ver -> q[i].was[n] = 0 :: else fi
#else
          q[i].was[n] = 0
#endif
        :: else
        fi
      }
    fi;
    if
    :: q[i].r.stage == IDLE -> clear(q[i].r)
    :: q[i].r.stage == ANSWERED ->
      q[i].r.renews = 0; q[i].r.ver = 0; q[i].r.change = 0; q[i].r.what = 0; q[i].r.expected = 0;
      q[i].r.to = 0; q[i].r.victim = 0; q[i].r.victimVer = 0; q[i].r.from = 0; clearToken(q[i].r)
    :: else
    fi
  }
  for (n : 0 .. NS - 1) {
    if :: !ALIVE(store.s[n].st) || IS_FIXED(PROCESS(n)) -> store.age[n] = 0 :: else fi
  }
  i = 0; z = 0; n = 0; p = 0; x = 0; b = 0;
  c_code { normalizeVersions(); finish(); }
}

/* Two never lead one partition, and no term begins beside work that was given up here (H3). */
inline judge() {
  for (p : 0 .. M - 1) {
    leaders = 0;
    for (i : 0 .. NP - 1) {
      if
      :: BELIEVES(i, p) -> leaders++; assert(!q[i].work[p]);
#if HIDES
        /* A session whose newest record is left does not lead by a row that is lost: it would go on. */
        assert(!q[i].blind[p] || q[i].s[CURRENT(i)].ver != store.s[CURRENT(i)].ver)
#endif
      :: else
      fi;
      assert(q[i].stuck[p] <= T)
    }
#if UNSEEN
    assert(overlap <= T)
#else
    assert(leaders <= 1)
#endif
  }
  leaders = 0;
#if SWEEP
  /* M11: a process leaves at most one dead row. */
  for (z : 0 .. K - 1) { assert(!q[0].up || z + 1 >= q[0].k || store.s[z].st != DEAD) }
#endif
}
inline settle() { judge(); normalize() }

#define up1(v) v = (v < T -> v + 1 : v)
#define down1(v) v = (v > 0 -> v - 1 : 0)
inline tick() {
#if UNSEEN
  leaders = 0;
  for (i : 0 .. NP - 1) { if :: BELIEVES(i, 0) -> leaders++ :: else fi }
  overlap = (leaders > 1 -> overlap + 1 : 0);
#endif
  for (n : 0 .. NS - 1) { up1(store.age[n]) }
#if LOSS
  for (n : 0 .. NS - 1) { up1(saved.age[n]) }
#endif
  for (i : 0 .. NP - 1) {
    if
    :: q[i].up ->
      for (n : 0 .. NS - 1) { up1(q[i].sAge[n]) }
      for (n : 0 .. M - 1) {
#if EDIT
        down1(q[i].alone[n]);
#endif
        up1(q[i].pAge[n]); down1(q[i].silent[n]); down1(q[i].work[n]);
#if MUTE
        if
        :: !IS_FIXED(i) && q[i].session == VALID && q[i].p[n].own == HOLD(CURRENT(i)) && !q[i].leads[n] && q[i].ended[n] == q[i].p[n].ver && !q[i].silent[n] -> q[i].stuck[n]++
        :: else -> q[i].stuck[n] = 0
        fi
#endif
      }
      down1(q[i].doubt);
      if
      :: IS_FIXED(i) ->
        /* Its terms end unless it reads in time. */
        down1(q[i].left);
        if :: q[i].left == 0 -> for (n : 0 .. M - 1) { endTerm(i, n) } :: else fi
      :: !IS_FIXED(i) && (q[i].session == VALID || q[i].session == ASKED) ->
        down1(q[i].left);
        b = (q[i].left == 0);
#if MUTE
        /* M9: a release that is not replaced within T ends the session. */
        for (n : 0 .. M - 1) { if :: q[i].stuck[n] >= T && MUT != KEEPS_SESSION -> b = 1 :: else fi }
#endif
        if :: b -> endSession(i); for (n : 0 .. M - 1) { q[i].stuck[n] = 0 } :: else fi
      :: else
      fi
    :: else
    fi;
    if :: q[i].r.stage -> up1(q[i].r.age) :: else fi;
    if :: q[i].late.stage && !IS_FIXED(i) -> up1(q[i].late.age) :: else fi
  }
}

/* The store replaces rows, each if it holds the expected version. */
#define performRenewal(i, r) \
  if \
  :: r.renews -> \
    z = r.renews - 1; \
    if \
    :: store.s[z].ver == r.ver && store.s[z].st != DEAD -> \
      if \
      :: MUT == T_SHRINKS && T > 1 && r.ver -> setSession(z, SHORT, r.age) \
      :: MUT != T_SHRINKS || !r.ver -> setSession(z, OPEN, r.age) \
      fi \
    :: else \
    fi \
  :: else \
  fi
#define performChange(i, r) \
  b = 1; \
  if \
  :: r.change == DEPOSE || r.change == BOTH -> \
    z = r.victim - 1; \
    if \
    :: (store.s[z].ver == r.victimVer || (MUT == DEPOSES_NEWEST && ALIVE(store.s[z].st))) && store.s[z].st != DEAD -> \
      setSession(z, DEAD, 0) \
    :: else \
    fi \
  :: r.change == END -> \
    z = r.victim - 1; \
    if :: ALIVE(store.s[z].st) -> setSession(z, DEAD, 0) :: else fi \
  :: r.change == REMOVE -> \
    z = r.victim - 1; \
    if :: store.s[z].st == DEAD -> store.s[z].st = ABSENT; store.s[z].ver = 0 :: else fi \
  :: else \
  fi; \
  if \
  :: (r.change == OWN || r.change == BOTH) && store.p[r.what].ver == r.expected && !(isMuted && i == 0) -> \
    setOwner(r, r.what, r.to) \
  :: else \
  fi

/* A process applies the answer of its exchange. */
inline apply(i) {
  z = CURRENT(i);
#if HIDES
  /* It shows a row that this request has asked to change, and all if a term would begin by one (M3). */
  for (p : 0 .. M - 1) {
    if
    :: q[i].blind[p] && !(q[i].r.change == OWN && q[i].r.what == p) && (q[i].sure[p] || !OWNED(q[i].p[p].own) || SESSION(q[i].p[p].own) != z) ->
      q[i].ap[p].own = q[i].p[p].own; q[i].ap[p].ver = q[i].p[p].ver
    :: else ->
      q[i].blind[p] = 0;
      if
      :: q[i].ap[p].ver != q[i].p[p].ver -> q[i].sure[p] = q[i].took || MUT == BEGINS_UNRENEWED
      :: else -> q[i].sure[p] = q[i].sure[p] || q[i].took
      fi
    fi
  }
  q[i].took = 0;
#elif UNSEEN
  /* "Everything since the position" does not mention the record that was lost. */
  for (p : 0 .. M - 1) {
    if
    :: q[i].leads[p] && q[i].ap[p].ver < q[i].leads[p] -> q[i].ap[p].own = q[i].p[p].own; q[i].ap[p].ver = q[i].p[p].ver
    :: else
    fi
  }
#endif
#if UNSEEN
  /* M6: rows contradict what was known. */
  for (n : 0 .. NS - 1) { if :: q[i].as[n].ver < q[i].s[n].ver -> q[i].doubt = T :: else fi }
  for (n : 0 .. M - 1) { if :: q[i].ap[n].ver < q[i].p[n].ver -> q[i].doubt = T :: else fi }
  if :: q[i].session == VALID && !IS_FIXED(i) && q[i].as[z].ver < q[i].s[z].ver && MUT != SESSION_GOES_ON -> endSession(i) :: else fi;
#endif
#if SHOWN
  /* "Everything since the position" does not correct an older record that a notification has shown. */
  if
  :: MUT == OLD_AFTER_NEW && q[i].ap[0].ver == q[i].before[0] -> q[i].ap[0].own = q[i].p[0].own; q[i].ap[0].ver = q[i].p[0].ver
  :: MUT == OLD_AFTER_NEW && q[i].ap[0].ver != q[i].before[0] -> q[i].before[0] = q[i].ap[0].ver
  :: else
  fi;
#endif
#if LOSS
  if
  :: MUT == ANSWER_WITHOUT_POSITION ->
    for (p : 0 .. M - 1) {
      if
      :: q[i].before[p] && q[i].ap[p].ver == q[i].before[p] ->
        q[i].aHistory = q[i].history; q[i].ap[p].own = q[i].p[p].own; q[i].ap[p].ver = q[i].p[p].ver
      :: q[i].r.change == OWN && q[i].r.what == p && q[i].r.to == HOLD(z) && q[i].ap[p].own == HOLD(z) && !q[i].before[p] ->
        q[i].before[p] = q[i].p[p].ver
      :: else -> q[i].before[p] = 0
      fi
    }
  :: else
  fi;
#endif
  /* M6: another history. The own session goes on only if its newest record is found. */
  if
  :: q[i].aHistory != q[i].history ->
    if
    :: MUT == NO_DOUBT || (MUT == NO_DOUBT_AT_FIRST && q[i].history == UNREAD) || !LOSS
    :: MUT == DOUBTS_OWN_LOSS_ONLY && q[i].p[0].ver <= q[i].ap[0].ver && q[i].s[0].ver <= q[i].as[0].ver
    :: else -> q[i].doubt = T
    fi;
    if
    :: (q[i].session == VALID || q[i].session == ASKED) && q[i].as[z].ver != q[i].s[z].ver && MUT != SESSION_GOES_ON && q[i].history != UNREAD -> endSession(i)
    :: else
    fi;
    q[i].history = q[i].aHistory
  :: else
  fi;
  /* M2: validity counts from the beginning of the exchange that wrote the own record. */
  if
  :: q[i].session == OVER && !(MUT == REVIVES && ALIVE(q[i].as[z].st))
  :: IS_FIXED(i) -> x = T_OF(i) - (q[i].r.age < T_OF(i) -> q[i].r.age : T_OF(i)); if :: x > q[i].left -> q[i].left = x :: else fi
  :: else ->
    if
    :: q[i].session != UNOPENED && ALIVE(q[i].as[z].st) ->
      q[i].session = VALID;
      x = (MUT == DEADLINE_FROM_REPLY && q[i].as[z].ver != q[i].s[z].ver -> T_OF(i) : T_OF(i) - (q[i].r.age < T_OF(i) -> q[i].r.age : T_OF(i)));
      /* A mutant writes a shorter T, and leads by the longest so far. */
      if :: q[i].as[z].st == SHORT -> down1(x) :: else fi;
      if :: x > q[i].left -> q[i].left = x :: else fi;
      if :: q[i].left == 0 -> endSession(i) :: else fi
    :: q[i].session == VALID && !ALIVE(q[i].as[z].st) && MUT != SESSION_GOES_ON -> endSession(i)
    :: q[i].session == ASKED && !ALIVE(q[i].as[z].st) && (MUT != REPEATS_OPEN || q[i].as[z].st == DEAD) -> endSession(i)
    :: else
    fi
  fi;
  /* M4: the wait for a record counts from its arrival. */
  for (n : 0 .. NS - 1) {
    if
    :: q[i].as[n].st != q[i].s[n].st || q[i].as[n].ver != q[i].s[n].ver ->
      if :: MUT != WAIT_NOT_RESTARTED || !ALIVE(q[i].s[n].st) -> q[i].sAge[n] = 0 :: else fi;
      q[i].s[n].st = q[i].as[n].st; q[i].s[n].ver = q[i].as[n].ver
    :: else
    fi
  }
  for (p : 0 .. M - 1) {
    if
    :: q[i].ap[p].own != q[i].p[p].own || q[i].ap[p].ver != q[i].p[p].ver ->
      q[i].p[p].own = q[i].ap[p].own; q[i].p[p].ver = q[i].ap[p].ver; q[i].pAge[p] = 0;
#if EDIT
      moveHand(q[i].p[p], q[i].ap[p]);
      /* M5: the owner before may not have read it yet. */
      if :: q[i].p[p].hand && MUT != TAKES_ANY_OWNER -> q[i].alone[p] = T :: else fi;
#endif
      /* M4: the wait for a missing session counts from the first reading of a row that names it. */
      if
      :: OWNED(q[i].p[p].own) && q[i].s[SESSION(q[i].p[p].own)].st == ABSENT -> q[i].sAge[SESSION(q[i].p[p].own)] = 0
      :: else
      fi
    :: else
    fi;
    /* M3: a term ends once its record is no longer in effect. */
    if
    :: q[i].leads[p] && q[i].leads[p] != q[i].p[p].ver && MUT != TERM_GOES_ON -> endTerm(i, p)
    :: else
    fi;
    b = (OWNED(q[i].p[p].own) && SESSION(q[i].p[p].own) == z || (MUT == ANY_SESSION && NAMES(q[i].p[p].own, i)));
    if
    :: MUT == HANDOVER_REVIVES && b && KIND(q[i].p[p].own) && q[i].session == OVER && ALIVE(q[i].s[z].st) && q[i].ended[p] != q[i].p[p].ver ->
      q[i].session = VALID; q[i].left = T_OF(i)
    :: else
    fi;
    /* M6: what is found in doubt never begins a term. */
    if
    :: b && q[i].doubt && q[i].leads[p] != q[i].p[p].ver && MUT != FOUND_BEGINS && MUT != BEGINS_IN_DOUBT -> q[i].ended[p] = q[i].p[p].ver
    :: else
    fi;
    if
    :: b && q[i].session == VALID && q[i].left > 0 && !q[i].leads[p] && (q[i].ended[p] != q[i].p[p].ver || MUT == RESUMES) && (!q[i].doubt || MUT == BEGINS_IN_DOUBT) && !ALONE(i, p) && IS_SURE(i, p) ->
      q[i].leads[p] = q[i].p[p].ver;
      assert(KIND(q[i].p[p].own) != 2); /* T: no two terms have one token */
      assert(q[i].was[p] != q[i].p[p].ver); /* T3: no term resumes */
#if LOSS
      assert(UNSEEN || q[i].p[p].ver > newest[p]); /* T1: later terms have greater tokens */
      newest[p] = q[i].p[p].ver
#endif
    :: else
    fi
  }
  clear(q[i].r); clearAnswer(i)
}

/* Sends the exchange with this change. A process with a valid session always renews it. */
inline exchange(i, kind, target, version, owner, row, rowVersion) {
  z = CURRENT(i);
  q[i].r.change = kind; q[i].r.what = target; q[i].r.expected = version; q[i].r.to = owner;
  q[i].r.victim = row; q[i].r.victimVer = rowVersion;
  q[i].r.from = q[i].history; q[i].r.age = 0;
  if
  :: IS_FIXED(i) || q[i].history == UNREAD || kind == END
  :: else ->
    if
    :: q[i].session == UNOPENED && (kind == OWN || kind == BOTH || HANDOVER && kind == NONE) && q[i].s[z].st == ABSENT ->
      q[i].r.renews = z + 1; q[i].r.ver = 0; q[i].session = ASKED; q[i].left = T_OF(i)
    :: q[i].session == ASKED && MUT == REPEATS_OPEN ->
      q[i].r.renews = z + 1; q[i].r.ver = 0; q[i].r.age = T_OF(i) - q[i].left
    :: q[i].session == VALID || (MUT == REVIVES && q[i].session == OVER) ->
      q[i].r.renews = z + 1; q[i].r.ver = q[i].s[z].ver
    :: else
    fi
  fi;
#if TOKENS
  if
  :: kind == OWN -> x = target; c_code { now.q[now.i].r.token = newOwnerVersion(now.x); }
  :: else
  fi;
#endif
#if READS_FIRST
  q[i].r.stage = READING
#else
  q[i].r.stage = SENT
#endif
}

#if DELAY
#define answer(i) q[i].r.stage = ANSWERED; settle()
#else
#define answer(i) if :: q[i].up -> apply(i) :: else -> clear(q[i].r); clearAnswer(i) fi; settle()
#endif

#if SWEEP
#define HAS_SWEPT(i) (q[i].k == 0 || q[i].s[CURRENT(i) - 1].st == ABSENT || MUT == NEVER_SWEEPS)
#else
#define HAS_SWEPT(i) true
#endif
#define HAS_SESSION(i) (q[i].session == VALID && q[i].left > 0 || (q[i].session == UNOPENED && q[i].s[CURRENT(i)].st == ABSENT))
/* The T that process i waits for session z. */
#define WAIT(i, z) (MUT == OWN_T -> T_OF(i) : (q[i].s[z].st == ABSENT -> T : T_OF(PROCESS(z)) - (q[i].s[z].st == SHORT -> 1 : 0)))
#define WAITED(i, z) (q[i].sAge[z] >= WAIT(i, z))
/* M5 */
#define DEAD_OWNER(i, p) (OWNED(q[i].p[p].own) && q[i].s[SESSION(q[i].p[p].own)].st == DEAD)
#define OWN_ENDED(i, p) (NAMES(q[i].p[p].own, i) && (SESSION(q[i].p[p].own) != CURRENT(i) || q[i].ended[p] == q[i].p[p].ver))
#define CLAIMABLE(i, p) ( \
  q[i].p[p].own == NOBODY || DEAD_OWNER(i, p) || OWN_ENDED(i, p) || \
  (q[i].p[p].own == EMPTY && (q[i].pAge[p] >= T || MUT == CLAIMS_EMPTY)) || \
  (MUT == CLAIMS_MISSING && q[i].p[p].own == MISSING && q[i].pAge[p] >= T) || \
  (MUT == CLAIMS_OWNED && OWNED(q[i].p[p].own)) || \
  (MUT == KIND_DECIDES && OWNED(q[i].p[p].own) && KIND(q[i].p[p].own)) || \
  (MUT == EARLIER_RELEASE && OWNED(q[i].p[p].own) && q[i].pAge[p] >= T) || \
  (MUT == CLAIMS_UNDEPOSED && OWNED(q[i].p[p].own) && !NAMES(q[i].p[p].own, i) && ALIVE(q[i].s[SESSION(q[i].p[p].own)].st) && WAITED(i, SESSION(q[i].p[p].own))))
#define MAY_CLAIM(i, p) (CLAIMABLE(i, p) && (!q[i].doubt || MUT == BEGINS_IN_DOUBT) && !ALONE(i, p) && (!q[i].silent[p] || MUT == NO_SILENCE) && !BELIEVES(i, p) && HAS_SESSION(i) && q[i].history != UNREAD)
/* M4, M10 */
#define IS_NAMED(i, z) ( \
  (OWNED(q[i].p[0].own) && SESSION(q[i].p[0].own) == (z)) || \
  (M > 1 && OWNED(q[i].p[M - 1].own) && SESSION(q[i].p[M - 1].own) == (z)))
#if CRASH
#define PROVED_DEAD(z) (proved[z] || (MUT == DEATH_BY_NAME && crashes && PROCESS(z) == 0))
#else
#define PROVED_DEAD(z) false
#endif
#define MAY_DEPOSE(i, z) ( \
  PROCESS(z) != i && !IS_FIXED(PROCESS(z)) && q[i].history != UNREAD && \
  (!q[i].doubt || (MUT == DEATH_SHORTENS_DOUBT && PROVED_DEAD(z))) && ( \
  (ALIVE(q[i].s[z].st) && (WAITED(i, z) || MUT == DEPOSES_AT_ONCE || PROVED_DEAD(z))) || \
  (q[i].s[z].st == ABSENT && IS_NAMED(i, z) && (WAITED(i, z) || MUT == MISSING_IS_DEAD))))
/* M9 */
#define MAY_RELEASE(i, p) (NAMES(q[i].p[p].own, i) && (BELIEVES(i, p) || (q[i].ended[p] == q[i].p[p].ver && !q[i].silent[p] && !ALONE(i, p))))
#define OWNS_NOTHING(i) (!NAMES(q[i].p[0].own, i) && !NAMES(q[i].p[M - 1].own, i))

inline choosePartition() { p = 0; do :: p < M - 1 -> p++ :: break od }
inline chooseSession() { n = 0; do :: n < NS - 1 -> n++ :: break od }
inline stopLeading(i, p) { if :: MUT != RELEASES_FIRST -> endTerm(i, p) :: else fi }

init {
  c_code { char *value = getenv("MUT"); now.MUT = value ? atoi(value) : 0; };
  d_step {
    for (i : 0 .. NP - 1) {
      q[i].up = 1;
      /* Every process has an open session, and process 0 leads every partition. */
      if
      :: !(EMPTY_STORE || (FREE && i == 0)) || IS_FIXED(i) ->
        q[i].session = VALID; q[i].left = T_OF(i); store.s[i * K].st = OPEN; store.s[i * K].ver = 1
      :: else
      fi
    }
#if FREE
    for (p : 0 .. M - 1) { store.p[p].own = NOBODY; store.p[p].ver = 1 }
#elif !EMPTY_STORE
    for (p : 0 .. M - 1) { store.p[p].own = HOLD(0); store.p[p].ver = 1; q[0].leads[p] = 1 }
#endif
    for (i : 0 .. NP - 1) {
      for (z : 0 .. NS - 1) { q[i].s[z].st = store.s[z].st; q[i].s[z].ver = store.s[z].ver }
      for (p : 0 .. M - 1) { q[i].p[p].own = store.p[p].own; q[i].p[p].ver = store.p[p].ver }
#if HIDES
      for (p : 0 .. M - 1) { q[i].sure[p] = 1 }
#endif
    }
#if NEWCOMER
    for (z : 0 .. NS - 1) { q[1].s[z].st = ABSENT; q[1].s[z].ver = 0 }
    for (p : 0 .. M - 1) { q[1].p[p].own = MISSING; q[1].p[p].ver = 0 }
    q[1].history = UNREAD;
#endif
#if HAS_DIED
    crashes = CRASH; proved[0] = 1;
    q[0].k = 1; q[0].session = UNOPENED; q[0].left = 0; q[0].history = UNREAD;
    for (z : 0 .. NS - 1) { q[0].s[z].st = ABSENT; q[0].s[z].ver = 0 }
    for (p : 0 .. M - 1) { q[0].p[p].own = MISSING; q[0].p[p].ver = 0; q[0].leads[p] = 0 }
#endif
    settle()
  }
  do
  :: d_step { tick(); settle() }
  /* Faults. */
#if DELETE_P
  :: deletions < DELETE_P -> atomic {
    choosePartition();
    if
    :: store.p[p].own != MISSING -> d_step { deletions++; store.p[p].own = MISSING; store.p[p].ver = 0; settle() }
    :: else
    fi }
#endif
#if EDIT
  :: edits < EDIT -> atomic {
    choosePartition(); chooseSession();
    if
    :: store.p[p].own != MISSING -> d_step {
      edits++; x = p; c_code { now.store.p[now.x].ver = newOwnerVersion(now.x); };
      store.p[p].own = HOLD(n); store.p[p].hand = 1; settle() }
    :: store.p[p].own != MISSING -> d_step {
      edits++; x = p; c_code { now.store.p[now.x].ver = newOwnerVersion(now.x); };
      store.p[p].own = NOBODY; store.p[p].hand = 1; settle() }
    :: ALIVE(store.s[n].st) && !IS_FIXED(PROCESS(n)) -> d_step {
      edits++; z = n; c_code { now.store.s[now.z].ver = newSessionVersion(now.z); };
      if :: MUT == TAKES_ANY_END -> store.s[n].st = DEAD :: else fi;
      /* It proves no lease. */
      store.age[n] = T; settle() }
    :: else
    fi }
#endif
#if DELETE_S
  :: deletions < DELETE_S -> atomic {
    chooseSession();
    if
    :: store.s[n].st != ABSENT && !IS_FIXED(PROCESS(n)) -> d_step { deletions++; store.s[n].st = ABSENT; store.s[n].ver = 0; settle() }
    :: else
    fi }
#endif
#if LOSS
  :: !isSaved -> d_step { isSaved = 1; copyStore(saved, store); settle() }
  :: isSaved && !isLost -> d_step {
    isLost = 1; store.history = (UNSEEN -> 0 : 1);
#if OLD_COPY
    /* The copy before the loss is kept in `saved`. */
    for (n : 0 .. NS - 1) {
      x = store.s[n].st; store.s[n].st = saved.s[n].st; saved.s[n].st = x;
      x = store.s[n].ver; store.s[n].ver = saved.s[n].ver; saved.s[n].ver = x;
      x = store.age[n]; store.age[n] = saved.age[n]; saved.age[n] = x
    }
    for (n : 0 .. M - 1) {
      x = store.p[n].own; store.p[n].own = saved.p[n].own; saved.p[n].own = x;
      x = store.p[n].ver; store.p[n].ver = saved.p[n].ver; saved.p[n].ver = x
    }
#else
#if HIDES
    for (i : 0 .. NP - 1) {
      for (n : 0 .. M - 1) { q[i].blind[n] = !IS_FIXED(i) && q[i].p[n].ver > saved.p[n].ver }
    }
#endif
    copyStore(store, saved);
    for (n : 0 .. NS - 1) { saved.s[n].st = 0; saved.s[n].ver = 0; saved.age[n] = 0 }
    for (n : 0 .. M - 1) { saved.p[n].own = 0; saved.p[n].ver = 0 }
#endif
    settle() }
#endif
#if MUTE
  :: !isMuted -> d_step { isMuted = 1; settle() }
#endif
  :: atomic {
    i = 0; do :: i < NP - 1 -> i++ :: break od;
    if
#if CRASH
    :: i == 0 && q[0].up && crashes < CRASH -> d_step {
      crashes++;
      if :: q[0].r.stage == SENT && !q[0].late.stage -> move(q[0].late, q[0].r) :: else fi;
      clear(q[0].r); clearAnswer(0);
      z = CURRENT(0); proved[z] = 1;
      for (n : 0 .. NS - 1) { q[0].s[n].st = ABSENT; q[0].s[n].ver = 0; q[0].sAge[n] = 0 }
      for (n : 0 .. M - 1) {
        q[0].p[n].own = MISSING; q[0].p[n].ver = 0; q[0].pAge[n] = 0; q[0].leads[n] = 0;
        q[0].ended[n] = 0; q[0].silent[n] = 0; q[0].work[n] = 0; q[0].was[n] = 0
      }
      q[0].session = OVER; q[0].left = 0; q[0].doubt = 0; q[0].history = UNREAD;
      if :: q[0].k + 1 < K -> q[0].k++; q[0].session = UNOPENED :: else fi;
      settle() }
#endif
    /* The member's clock may be fast: its session ends early. */
    :: q[i].up && q[i].session == VALID && !IS_FIXED(i) -> d_step { endSession(i); settle() }
    /* The store performs the exchange, and its answer leaves. */
#if READS_FIRST
    :: q[i].r.stage == READING -> d_step { readAll(store, i); q[i].r.stage = RENEWING; if :: MUT == RENEWS_WITHOUT_READING -> q[i].r.age = 0 :: else fi; settle() }
    :: q[i].r.stage == RENEWING -> d_step {
      performRenewal(i, q[i].r);
      /* The renewal counts by its outcome, and nothing else does. */
      z = CURRENT(i);
      if
      :: q[i].r.renews == z + 1 && q[i].r.stage ->
        if :: store.s[z].ver != q[i].as[z].ver || store.s[z].st != q[i].as[z].st -> q[i].as[z].st = store.s[z].st; q[i].as[z].ver = store.s[z].ver :: else fi
      :: else
      fi;
      q[i].r.stage = CHANGING; settle() }
    :: q[i].r.stage == CHANGING -> d_step { performChange(i, q[i].r); answer(i) }
#else
    :: q[i].r.stage == SENT -> d_step {
#if HIDES
      z = CURRENT(i);
      q[i].took = (q[i].r.renews == z + 1 && store.s[z].ver == q[i].r.ver && store.s[z].st != DEAD);
#endif
      if
      :: q[i].r.from == store.history || (MUT == ANY_HISTORY && q[i].r.from != UNREAD) ->
        performRenewal(i, q[i].r); performChange(i, q[i].r)
      :: else
      fi;
      readAll(store, i); if
      :: IS_FIXED(i)
      :: else -> q[i].r.age = store.age[CURRENT(i)]
      fi;
      answer(i) }
    /* The request arrives, and its answer is lost. */
    :: q[i].r.stage == SENT && (q[i].r.renews || q[i].r.change) -> d_step {
      if
      :: q[i].r.from == store.history || (MUT == ANY_HISTORY && q[i].r.from != UNREAD) ->
        performRenewal(i, q[i].r); performChange(i, q[i].r)
      :: else
      fi;
      clear(q[i].r); settle() }
#endif
#if OLD_COPY
    /* A reading without changes may be answered by the old copy. */
    :: q[i].r.stage == SENT && isLost && q[i].history == 0 && (!q[i].r.renews && !q[i].r.change && !IS_FIXED(i) || MUT == TWO_COPIES || MUT == TWO_STORES) -> d_step {
      if
      :: MUT == TWO_COPIES || MUT == TWO_STORES ->
        performRenewal(i, q[i].r);
        readAll(store, i); q[i].aHistory = 0; q[i].r.age = store.age[CURRENT(i)];
        readOwners(saved, i)
      :: else -> readAll(saved, i); q[i].aHistory = 0
      fi;
      answer(i) }
#endif
#if DELAY
    :: q[i].r.stage == ANSWERED && q[i].up -> d_step { apply(i); settle() }
    :: q[i].r.stage == ANSWERED -> d_step { clear(q[i].r); clearAnswer(i); settle() }
#endif
    /* The outcome stays unknown: the request takes effect later. */
#if LATE
    :: ((LATE >> i) & 1) && q[i].r.stage && q[i].r.stage != ANSWERED && !q[i].late.stage && (q[i].r.renews || q[i].r.change) -> d_step {
      move(q[i].late, q[i].r); clear(q[i].r); clearAnswer(i); settle() }
#endif
#if SHOWN
    /* A notification shows the present row, later. */
    :: ((SHOWN >> i) & 1) && q[i].up && !q[i].shown.ver && store.p[0].ver -> d_step { q[i].shown.own = store.p[0].own; q[i].shown.ver = store.p[0].ver; settle() }
    /* M5: a newer release may be claimed over. M3: nothing else counts before it is read. */
    :: q[i].up && q[i].shown.ver -> d_step {
      if
      :: (q[i].shown.ver > q[i].p[0].ver && q[i].shown.own == NOBODY) || MUT == OLD_AFTER_NEW ->
        q[i].p[0].own = q[i].shown.own; q[i].p[0].ver = q[i].shown.ver; q[i].pAge[0] = 0
      :: else
      fi;
      q[i].shown.own = 0; q[i].shown.ver = 0; settle() }
#endif
#if LATE || CRASH
    :: q[i].late.stage -> d_step {
      if
      :: q[i].late.from == store.history || MUT == ANY_HISTORY -> performRenewal(i, q[i].late); performChange(i, q[i].late)
      :: else
      fi;
      clear(q[i].late); settle() }
    :: q[i].late.stage -> d_step { clear(q[i].late); settle() }
#endif
    /* M2: a session that is over is never used again; the process opens the next one. */
    :: q[i].up && q[i].session == OVER && q[i].k + 1 < K && q[i].r.stage == IDLE && HAS_SWEPT(i) -> d_step { q[i].k++; q[i].session = UNOPENED; settle() }
    /* Exchanges. */
    :: q[i].up && q[i].r.stage == IDLE -> d_step {
      /* A reading that would change nothing is the same as a later one. */
      b = !IS_FIXED(i) || q[i].left < T1 || q[i].history != store.history;
      for (n : 0 .. NS - 1) { if :: q[i].s[n].ver != store.s[n].ver -> b = 1 :: else fi }
      for (n : 0 .. M - 1) { if :: q[i].p[n].ver != store.p[n].ver -> b = 1 :: else fi }
      if :: b -> exchange(i, NONE, 0, 0, 0, 0, 0) :: else fi; settle() }
    :: q[i].up && q[i].r.stage == IDLE -> choosePartition();
      if
      :: MAY_CLAIM(i, p) -> d_step { exchange(i, OWN, p, q[i].p[p].ver, HOLD(CURRENT(i)), 0, 0); settle() }
      :: q[i].p[p].own == MISSING && !q[i].doubt && q[i].history != UNREAD && MUT != CLAIMS_MISSING -> d_step { exchange(i, OWN, p, 0, EMPTY, 0, 0); settle() }
      :: MAY_RELEASE(i, p) -> d_step { stopLeading(i, p); exchange(i, OWN, p, q[i].p[p].ver, NOBODY, 0, 0); settle() }
#if HANDOVER
      :: MAY_RELEASE(i, p) && (!q[i].doubt || MUT == BEGINS_IN_DOUBT) -> chooseSession();
        if
        :: PROCESS(n) != i && ALIVE(q[i].s[n].st) -> d_step {
          x = (MUT == OLD_TOKEN -> GIVEN_AGAIN(n) : GIVEN(n)); stopLeading(i, p);
          exchange(i, OWN, p, q[i].p[p].ver, x, 0, 0); settle() }
        :: else
        fi
#endif
#if GIVE_UP
      :: BELIEVES(i, p) && givenUp < GIVE_UP -> d_step { givenUp++; endTerm(i, p); q[i].silent[p] = T; q[i].work[p] = T; settle() }
#endif
      :: else
      fi
    :: q[i].up && q[i].r.stage == IDLE && q[i].session == VALID && !IS_FIXED(i) && (OWNS_NOTHING(i) || MUT == ENDS_FIRST) -> d_step {
      x = CURRENT(i); exchange(i, END, 0, 0, 0, x + 1, 0);
      if :: MUT != ENDS_FIRST -> endSession(i) :: else fi;
      settle() }
    :: q[i].up && q[i].r.stage == IDLE -> chooseSession();
      if
      :: MAY_DEPOSE(i, n) -> d_step { x = n; if :: MUT == DEATH_SHORTENS_DOUBT -> q[i].doubt = 0 :: else fi; exchange(i, DEPOSE, 0, 0, 0, x + 1, q[i].s[x].ver); settle() }
      :: MUT == CLAIMS_WITH_DEPOSING && MAY_DEPOSE(i, n) && OWNED(q[i].p[0].own) && SESSION(q[i].p[0].own) == n && HAS_SESSION(i) -> d_step {
        x = n; exchange(i, BOTH, 0, q[i].p[0].ver, HOLD(CURRENT(i)), x + 1, q[i].s[x].ver); settle() }
#if SWEEP
      :: PROCESS(n) == i && q[i].s[n].st == DEAD && n != CURRENT(i) && !IS_NAMED(i, n) && MUT != NEVER_SWEEPS -> d_step { x = n; exchange(i, REMOVE, 0, 0, 0, x + 1, 0); settle() }
#endif
      :: else
      fi
    :: else
    fi
  }
  od
}
