import { quote } from '@engine/expression'
import { Cron } from 'croner'

/**
 * A window in which releases are not executed: from each time of `cron` for `duration`, in the local time of a time
 * zone.
 */
export interface FreezeWindow {
  /** Five fields: minute, hour, day, month, weekday. */
  readonly cron: string
  /** A number of minutes, hours or days: `90m`, `2h`, `1d`. */
  readonly duration: string
  /** IANA time zone; default: `UTC`. */
  readonly time_zone?: string | undefined
}

/** A problem with one member of a window. */
export interface FreezeFault {
  readonly member: 'cron' | 'duration' | 'time_zone'
  readonly message: string
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const MAX_DAYS = 366
const MAX_CRON_CHARACTERS = 200
/** Maximum number of adjacent or overlapping windows that are merged. */
const MAX_JOINED = 50
/** The five fields have no year: a pattern without a match after this time never matches. */
const ANY_TIME = new Date('2000-01-01T00:00:00Z')

/** The problems of a window; empty if it is valid. */
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
 * The end of the window that is open at a time; null if none is open. Adjacent and overlapping windows are merged.
 *
 * The pattern and the duration are in local time: a window from 22:00 for `8h` ends when the clock shows 06:00, even if
 * the clock changes in that night. If a local time occurs twice, a window starts at its first and ends at its second
 * occurrence; if a local time is skipped, the window starts or ends at the clock change. A window within a skipped hour
 * does not occur.
 *
 * The pattern is evaluated in UTC, which has no clock changes, and the resulting local times are then converted to
 * instants. The search costs at most some milliseconds, regardless of the pattern. Throws for an invalid window.
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

/** A time range between two instants. */
export interface TimeRange {
  readonly from: Date
  readonly to: Date
}

/**
 * The windows that overlap a range, in order; adjacent and overlapping ones are merged, as in `frozenUntil`. Each costs
 * at most `MAX_JOINED` searches, some 5 ms. Throws for an invalid window.
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

/**
 * The start of the window that is open at a local time or, if none is, of the last one before it, otherwise of the
 * first one after it.
 */
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

/** The end of a window merged with adjacent and overlapping ones. */
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

/** The duration in milliseconds; undefined if the text is not a duration. */
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

/** The last match of the pattern up to a time. */
function lastUpTo(pattern: Cron, shown: Shown): Shown | undefined {
  const [found] = pattern.previousRuns(1, new Date(Math.floor(shown / 1000) * 1000 + 1000))
  return found?.getTime()
}

/** The last or first instant with a local time; the instant of the clock change if that time is skipped. */
function instantOf(zone: string, shown: Shown, which: 'earlier' | 'later' = 'later'): number {
  const wanted = Temporal.Instant.fromEpochMilliseconds(shown).toZonedDateTimeISO('UTC').toPlainDateTime()
  const found = wanted.toZonedDateTime(zone, { disambiguation: 'later' })
  if (found.toPlainDateTime().equals(wanted))
    return wanted.toZonedDateTime(zone, { disambiguation: which }).epochMilliseconds
  return (found.add({ milliseconds: 1 }).getTimeZoneTransition('previous') ?? found).epochMilliseconds
}
