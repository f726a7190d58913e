"""All keys of the store, in one place: name, type and content. Scripts get the same names as the table `KEY`.

Times are milliseconds since 1970 by the store's own clock, unless a line says otherwise. A *place* is a bot's
process, written `BOT/INSTANCE`; a bot's name holds no slash, so the first one separates them.

What grows with what, and what bounds it:

    DEAL, MATCH, QUEUE, RESERVED, RUNNING  matches that wait or run: the slots of the connected bots
    JOURNAL                                matches that run: about 60 bytes a decision
    LOBBIES, ONLINE, PRESENCE, SERVER      connected processes: what gives no sign of life is taken out
    LINE_UPS                               blocks: the newest `LINE_UPS_KEPT` a ladder, about 1 MB
    OPEN_BLOCKS, PARTIAL                   blocks that are not over; 4,096 of PARTIAL a ladder (`fold`)
    PLAYED                                 matches of a server's tournaments: about 60 bytes each
    PLACES                                 blocks: for an hour after one is over, or 30 days; 200 bytes each
    RESULTS, RECORD                        matches that ended: the newest 1,000 (`results.KEEP`), about 10 MB, and what
                                           one of READERS has not taken; the archive tells the log which
    RESULT                                 matches that ended: for a day; 200 bytes each
    RATINGS                                rated matches: the newest 100,000 a ladder (`tables.ROWS_KEPT`), 10 MB
    DEAD, SET_ASIDE                        what went wrong: `KEPT` each, then only counted in DROPPED
    VERSIONS                               bots: 64 names of at most 64 characters each
    NOTES                                  lines that bots write: the setting `limits.log_bytes` a bot
    RESTS                                  bots that did not come to a match: for two minutes at most
    READERS                                archives; the embedded store knows one
    BOT, BOTS, FILES, LADDERS, STANDING,   bots and ladders, which only an organiser makes; a file has at most 96 KiB
    TABLE, TOKENS
    RETIRED                                what organisers retire: a reason of at most 200 characters each
    RULINGS, SEASON, SEASONS               rulings and seasons, which only an organiser makes; a table a season

Outside of the store, records grow for ever in the archive's folder, which everything can be rebuilt from; and a referee
keeps the Overs of its last 4,096 seats in memory.
"""

from __future__ import annotations

INSTALLATION = "agon:installation"
"""STRING, random, made once: the installation's mark. Where it is gone, everything is."""

# -- the queue ---------------------------------------------------------------------------------------------------

QUEUES = "agon:queues"
"""SET of the names of all queue streams (`QUEUE` + GAME:VERSION) that were ever used."""
QUEUE = "agon:queue:"
"""+ GAME:VERSION. STREAM of matches that can start now or are running, one entry a match; fields `match` (its id) and
`entry` (MatchEntry as JSON, with the seed: secret). One stream a game and version, so that a referee reads only what it
has. Consumer group `referees`, consumer = server name; idle time in the group = time since the lease was renewed."""
GROUP = "referees"
MATCH = "agon:match:"
"""+ MATCH. HASH of a queued or running match: `stream`, `id` (of its entry), `epoch`, `deliveries` (since the last
progress), `progress` (the most decisions reported), `seats` (JSON list of places, in seat order), `facts` (JSON, as in
its result), `game`, `index`, `deal` (its block where the deal is shared, else empty), `queued`; when claimed also
`owner` (server name) and `address`, `servers` (the names of all that ran it since it began, with spaces between) and
`journal` (how long its journal was); `cancel` (a reason) once somebody asked for it. Gone when the match has ended."""
JOURNAL = "agon:journal:"
"""+ MATCH. LIST of what was accepted in a running match, a line of JSON each (`referee.entries`), by their numbers;
choices are secret while the match runs. Gone when it has ended."""
PLACES = "agon:places:"
"""+ BLOCK. HASH from INDEX/ATTEMPT to the match id that plays this place of the block; expires after 30 days, or an
hour after the block is over."""
DEAL = "agon:deal:"
"""+ BLOCK, only with shared deals. HASH: `size` of the block, and INDEX for each place that is settled. It exists from
the first enqueue until all places are, so: as long as it exists the deal's seed and records are secret."""
DEAD = "agon:dead"
"""HASH from match id (or, where an entry names none, the entry's id) to a JSON object: `entry` (text), `reason`,
`when`, `epoch`. At most `KEPT` of them."""
KEPT = 1_000
"""How many dead letters are kept, and how many results that are set aside: what comes later is counted, not kept."""
DROPPED = "agon:dropped"
"""HASH from the name of a key (`DEAD`, `SET_ASIDE`) to how many were not kept there."""
RUNNING = "agon:running:"
"""+ BOT. HASH from INSTANCE/MATCH/SEAT to a JSON object: `owner`, `address`, `epoch`, `game`, `seats`."""

SERVER = "agon:server:"
"""+ NAME. HASH of the one server that has this name now: `run` (unique to the process), `folder` (which data folder it
has), `address`; expires unless renewed."""

# -- results -----------------------------------------------------------------------------------------------------

RESULTS = "agon:results"
"""STREAM of ended matches and rulings; its order is that of ladder and archive for ever. Fields of a ruling: `kind`
(season, purge, undo), `ruling` (its id), `ladder`, `actor`, `why`, `facts` (JSON); of a match: `kind` (played, dead,
cancelled), `match`, `facts` (JSON: what was known when it was queued), `termination`, `rated`, `again` (its place in
the block is to be played again), `server`, `epoch`, `reason`, `hash` (of the record) and `outcome` (JSON: who played
and how it ended for each); these two are empty unless played. Earlier versions wrote the record here, as `record`, and
the first of them no `outcome`."""
RECORD = "agon:record:"
"""+ ID of a result. STRING, the record's line, as long as the result is in RESULTS. Apart from it, since who folds and
pairs reads every result and no record."""
RESULT = "agon:result:"
"""+ MATCH. STRING `KIND ID HASH`: what the match ended as, its id in the results stream, and the hash of its record
(`-` where it has none). What makes finishing idempotent; expires after a day, since without a state nothing can finish
the match any more. By it a fold refuses, too, what somebody wrote into the results stream by hand for a match that was
over. After the day only an audit tells, which reads all results: a rebuild takes the first one of each match."""
RULINGS = "agon:rulings:"
"""+ LADDER. HASH from the id of a ruling to the id of its entry, its kind and JSON of what it says, with spaces
between; and from what can be done only once (`season LABEL`, `undo PURGE`) to the id of the ruling that did it."""
READERS = "agon:readers"
"""HASH from reader name (`archive:…`, `ladder:…`) to the id of the last result that it has taken for good."""
LADDER_READER = "ladder:fold"
"""The name under which fold and pairing read the results."""

# -- presence ----------------------------------------------------------------------------------------------------

PRESENCE = "agon:presence:"
"""+ PLACE. HASH of a connected bot process: `token` (of the stream that said Hello last), `process`, `slots`,
`games` (JSON), `version`, `version_number` (in VERSIONS)."""
VERSIONS = "agon:versions:"
"""+ BOT. HASH from a version of the bot to its number, in the order in which they first connected. The newest 64."""
ONLINE = "agon:online"
"""ZSET of places, scored by the time at which they count as gone unless they give a sign of life before."""
LOBBIES = "agon:lobbies"
"""ZSET of the addresses at which bots reach the lobbies, scored as `ONLINE` is, and the pub/sub channel on which it is
told that one came or went, or that a bot was retired."""
RESERVED = "agon:reserved"
"""HASH from place to the number of its slots that queued and running matches hold."""
PRESENCE_CHANGES = "agon:presence-changes"
"""STRING, a number that rises whenever a bot process comes, goes or changes its slots, and the pub/sub channel on which
each new one is told."""
OFFERS = "agon:offers:"
"""+ PROCESS. Pub/sub channel of offers for the bots whose streams that process holds."""

RESTS = "agon:rests"
"""STRING, JSON: an object from each bot that gets no matches for now, as it did not come to its last one, to when that
ends. For people; expires with the longest rest."""

# -- bots --------------------------------------------------------------------------------------------------------

BOTS = "agon:bots"
"""ZSET of bot names, scored by the time of registration."""
BOT = "agon:bot:"
"""+ BOT. HASH: `owner`, `token` (BLAKE2b-256 of it, hex), `created`, `trusted`, `house` (1 or absent), `suspended` (the
reason) and `suspended_at` while it is suspended."""
TOKENS = "agon:tokens"
"""HASH from the hash of a token to the name of its bot."""
RETIRED = "agon:retired"
"""HASH from BOT, or BOT/VERSION where that version alone is retired, to JSON of who retired it (`actor`), why
(`reason`) and when (`at`)."""
NOTES = "agon:notes:"
"""+ BOT. LIST of the lines of the bot's private log, oldest first."""
NOTES_SIZE = "agon:notes-size:"
"""+ BOT. HASH: `bytes` that the log holds, `cut` bytes that were dropped from its beginning."""
SEALED = "agon:sealed:"
"""+ NAME. STRING of 32 random bytes, made once."""
DURABLE = "agon:durable"
"""STRING, overwritten before each wait for the disk, so that the wait covers all that came before."""

# -- ladders -----------------------------------------------------------------------------------------------------

LADDERS = "agon:ladders"
"""HASH from ladder name to its definition (JSON)."""
FILES = "agon:files"
"""HASH from the hash of a file that stands for an option's material to its text, as its game writes it. A file comes
with the first ladder that names it, and stays."""
LADDERS_MADE = "agon:ladders-made"
"""STRING, set once the ladders of a new data folder were made, so that closed ones do not come again."""
LADDER_LEASE = "agon:ladder-lease"
"""STRING `TOKEN SERVER` of the one process that folds and pairs; expires unless renewed."""
LADDER_FENCE = "agon:ladder-fence"
"""STRING, a number: the fencing token of the newest lease. A step under a lower one changes nothing."""
LADDER_CURSOR = "agon:ladder-cursor"
"""STRING, the id of the last result that fold and pairing have both taken."""
TABLE = "agon:table:"
"""+ LADDER. HASH: `position` (id of the last result folded), `results` (rated ones so far), `seats`, `system`,
`season` (JSON: label, where it began, rated results before), `generation` (rises when a rebuild replaces the table),
`failed` (why the ladder is not folded now) while it is not."""
SEASONS = "agon:seasons:"
"""+ LADDER. HASH from the label of a season that is over to what is told of it (JSON), without its table."""
SEASON = "agon:season:"
"""+ LADDER:LABEL. STRING, the table of a season that is over (JSON)."""
STANDING = "agon:standing:"
"""+ LADDER. HASH from bot to its row of the table (JSON)."""
PARTIAL = "agon:partial:"
"""+ LADDER. HASH from block to what is rated of it so far (JSON), until it is complete."""
RATINGS = "agon:ratings:"
"""+ LADDER:GENERATION; while a rebuild makes it, LADDER:new-ID, which expires if that dies. STREAM of the newest rated
matches under the ids of their results; fields `match` and `rows` (JSON, by seat: bot, placement, rating before, rating
after)."""
OPEN_BLOCKS = "agon:open-blocks:"
"""+ LADDER. HASH from block to what is played and left of it (JSON, with the seed of a shared deal: secret)."""
LINE_UPS = "agon:line-ups:"
"""+ LADDER, not of tournaments. LIST of the line-ups of its newest blocks, oldest first, each as names with blanks
between: whom its bots met lately. At most `LINE_UPS_KEPT`."""
LINE_UPS_KEPT = 16_384
"""The last 64 blocks of each of 512 bots with two seats, and fewer of more bots; about 1 MB."""
PLAYED = "agon:played:"
"""+ LADDER, only of tournaments. HASH from a match's place in the schedule (`ROUND.BLOCK.PLACE`, from 1) to the
placements by seat, with commas between; from `ROUND.BLOCK` to nothing where that block was given up."""
SET_ASIDE = "agon:set-aside"
"""HASH from the id of a result that no ladder could take to a JSON object: `match`, `ladder`, `reason`. At most `KEPT`
of them."""

_SCRIPT_NAMES = (
    "BOT", "BOTS", "DEAD", "DEAL", "DROPPED", "FILES", "GROUP", "INSTALLATION", "JOURNAL", "LADDERS", "LADDERS_MADE",
    "LADDER_CURSOR", "LADDER_FENCE", "LADDER_LEASE", "LADDER_READER", "LINE_UPS", "LOBBIES", "MATCH", "NOTES",
    "NOTES_SIZE", "ONLINE", "OPEN_BLOCKS", "PARTIAL", "PLACES", "PLAYED", "PRESENCE", "PRESENCE_CHANGES", "QUEUE",
    "QUEUES", "RATINGS", "READERS", "RECORD", "RESERVED", "RESULT", "RESULTS", "RETIRED", "RULINGS", "RUNNING",
    "SEASON", "SEASONS", "SERVER", "SET_ASIDE", "STANDING", "TABLE", "TOKENS", "VERSIONS",
)  # fmt: skip


def script_table() -> str:
    """Return the keys as a Lua table, to stand before each script."""
    pairs = ", ".join(f'{name} = "{globals()[name]}"' for name in _SCRIPT_NAMES)
    return f"local KEY = {{{pairs}}}\nlocal KEPT = {KEPT}\nlocal LINE_UPS_KEPT = {LINE_UPS_KEPT}\n"


def queue_stream(game: str, version: int) -> str:
    """Return the queue stream of a game in one rules version."""
    return f"{QUEUE}{game}:{version}"


def place(bot: str, instance: str) -> str:
    """Return how one process of a bot is written in keys."""
    return f"{bot}/{instance}"


def split_place(text: str) -> tuple[str, str]:
    """Return bot and instance of a place."""
    bot, _, instance = text.partition("/")
    return bot, instance
