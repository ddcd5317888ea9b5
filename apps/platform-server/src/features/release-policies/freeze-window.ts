import { quote } from '@engine/expression'
import { Cron } from 'croner'

/** A window in which releases are not executed: from each time of `cron` for `duration`, by the clocks of a time zone. */
export interface FreezeWindow {
  /** Five fields: minute, hour, day, month, weekday. */
  readonly cron: string
  /** A number of minutes, hours or days: `90m`, `2h`, `1d`. */
  readonly duration: string
  /** IANA time zone; default: `UTC`. */
  readonly time_zone?: string | undefined
}

/** A fault in a member of a window. */
export interface FreezeFault {
  readonly member: 'cron' | 'duration' | 'time_zone'
  readonly message: string
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const MAX_DAYS = 366
const MAX_CRON_CHARACTERS = 200
/** Windows that follow one another without a pause are joined, up to this many. */
const MAX_JOINED = 50
/** Five fields name no year: a pattern without a match after this time never matches. */
const ANY_TIME = new Date('2000-01-01T00:00:00Z')

/** The faults of a window; empty: it is valid. */
export function freezeFaults({ cron, duration, time_zone: zone }: FreezeWindow): readonly FreezeFault[] {
  const faults: FreezeFault[] = []
  const wrongCron = cronFault(cron)
  if (wrongCron !== undefined) faults.push({ member: 'cron', message: wrongCron })
  if (durationMs(duration) === undefined)
    faults.push({
      member: 'duration',
      message: `must be a number of minutes, hours or days such as \`90m\`, \`2h\` or \`1d\`, at most ${MAX_DAYS} days`,
    })
  if (zone !== undefined && !isTimeZone(zone))
    faults.push({ member: 'time_zone', message: `${quote(zone)} is no IANA time zone such as \`Europe/Berlin\`` })
  return faults
}

/**
 * When the window that holds at a time ends; null: none holds. Windows that touch or overlap count as one.
 *
 * The pattern and the duration are read by the clock of the zone: a window from 22:00 for `8h` ends when the clock shows 06:00,
 * also in the nights in which it is changed. Where the clock shows a time twice, the window begins with the first and ends with
 * the second; where the clock skips a time, it begins or ends with the skip. A window that lies within a skip does not take
 * place.
 *
 * Times of the pattern are found as if the clock were one of UTC, which has no changes, and only then become instants. The
 * search costs at most some milliseconds, regardless of the pattern. Throws for a window that has faults.
 */
export function frozenUntil(window: FreezeWindow, now: Date): Date | null {
  const zone = window.time_zone ?? 'UTC'
  const length = durationMs(window.duration)
  if (length === undefined) throw new Error(`the duration ${quote(window.duration)} was not checked`)
  const pattern = new Cron(window.cron, PATTERN)
  const first = lastUpTo(pattern, latestShown(zone, now))
  if (first === undefined) return null
  if (instantOf(zone, first + length) <= now.getTime()) return null
  return new Date(instantOf(zone, lastOfJoined(pattern, first, length)))
}

/** From one instant until another one. */
export interface TimeRange {
  readonly from: Date
  readonly to: Date
}

/**
 * The windows that hold at some time of a range, in their order; those that touch or overlap are one, as in `frozenUntil`. Each
 * costs at most `MAX_JOINED` searches, some 5 ms. Throws for a window that has faults.
 */
export function* frozenTimesIn(window: FreezeWindow, { from, to }: TimeRange): Generator<TimeRange> {
  const zone = window.time_zone ?? 'UTC'
  const length = durationMs(window.duration)
  if (length === undefined) throw new Error(`the duration ${quote(window.duration)} was not checked`)
  const pattern = new Cron(window.cron, PATTERN)
  let begin = firstOfJoined(pattern, length, latestShown(zone, from))
  while (begin !== undefined) {
    const end = lastOfJoined(pattern, begin, length)
    const time = { from: new Date(instantOf(zone, begin, 'earlier')), to: new Date(instantOf(zone, end)) }
    if (time.from >= to) return
    if (time.to > from && time.to > time.from) yield time
    begin = lastUpTo(pattern, end) === end ? end : pattern.nextRun(new Date(end))?.getTime()
  }
}

/** The begin of the window that holds at a clock time, or of the last one before it; else of the first one after it. */
function firstOfJoined(pattern: Cron, length: number, shown: Shown): Shown | undefined {
  let begin = lastUpTo(pattern, shown)
  if (begin === undefined) return pattern.nextRun(new Date(shown))?.getTime()
  for (let joined = 1; joined < MAX_JOINED; joined++) {
    const before = lastUpTo(pattern, begin - 1000)
    if (before === undefined || before + length < begin) break
    begin = before
  }
  return begin
}

/** The end of a window with those that touch or overlap it. */
function lastOfJoined(pattern: Cron, begin: Shown, length: number): Shown {
  let end = begin + length
  for (let joined = 1; joined < MAX_JOINED; joined++) {
    const next = (lastUpTo(pattern, end) ?? begin) + length
    if (next <= end) break
    end = next
  }
  return end
}

const PATTERN = { timezone: 'UTC', paused: true, mode: '5-part' } as const

function cronFault(text: string): string | undefined {
  // The library also accepts dates and nicknames.
  if (text.length > MAX_CRON_CHARACTERS || text.trim().split(/\s+/).length !== 5)
    return 'must have the five fields minute, hour, day, month and weekday, such as `0 22 * * 5`'
  try {
    if (new Cron(text, PATTERN).nextRun(ANY_TIME) !== null) return undefined
    return `${quote(text)} names a time that never comes`
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : ''
    return `${quote(text)} is no cron expression: ${reason}`
  }
}

/** Milliseconds; undefined: the text is not a duration. */
function durationMs(text: string): number | undefined {
  const [, digits, unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? []
  const length = Number(digits) * (UNIT_MS[unit] ?? Number.NaN)
  return length <= MAX_DAYS * 86_400_000 ? length : undefined
}

/** Refuses an offset such as `+02:00`, which has no clock changes. */
function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z][\w+/-]*$/.test(zone)) return false
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone)
    return true
  } catch {
    return false
  }
}

/** A local clock time, as milliseconds since 1970 on that clock. */
type Shown = number

const shownBy = (at: Temporal.ZonedDateTime): Shown => at.toPlainDateTime().toZonedDateTime('UTC').epochMilliseconds

/** The latest clock time shown so far: just after the clock was set back, it is later than the current one. */
function latestShown(zone: string, now: Date): Shown {
  const at = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone)
  const change = at.add({ milliseconds: 1 }).getTimeZoneTransition('previous')
  return change === null ? shownBy(at) : Math.max(shownBy(at), shownBy(change.subtract({ milliseconds: 1 })))
}

/** The last time of the pattern that is not after a time. */
function lastUpTo(pattern: Cron, shown: Shown): Shown | undefined {
  const [found] = pattern.previousRuns(1, new Date(Math.floor(shown / 1000) * 1000 + 1000))
  return found?.getTime()
}

/** The last or first instant at which the clock shows a time; that of the change where the clock skips it. */
function instantOf(zone: string, shown: Shown, which: 'earlier' | 'later' = 'later'): number {
  const wanted = Temporal.Instant.fromEpochMilliseconds(shown).toZonedDateTimeISO('UTC').toPlainDateTime()
  const found = wanted.toZonedDateTime(zone, { disambiguation: 'later' })
  if (found.toPlainDateTime().equals(wanted))
    return wanted.toZonedDateTime(zone, { disambiguation: which }).epochMilliseconds
  return (found.add({ milliseconds: 1 }).getTimeZoneTransition('previous') ?? found).epochMilliseconds
}
