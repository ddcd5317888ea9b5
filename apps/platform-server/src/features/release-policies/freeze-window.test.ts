import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { freezeFaults, type FreezeWindow, frozenTimesIn, frozenUntil } from './freeze-window.ts'

const at = (window: FreezeWindow, now: string) => frozenUntil(window, new Date(now))?.toISOString() ?? null

/** Windows, and until when they hold at some instants. */
const WINDOWS: readonly {
  readonly of: string
  readonly window: FreezeWindow
  readonly until: Readonly<Record<string, string | null>>
}[] = [
  {
    of: 'the weekend from Friday evening on, in UTC where no zone is given',
    window: { cron: '0 18 * * 5', duration: '60h' },
    until: {
      '2026-11-20T17:59:59.999Z': null,
      '2026-11-20T18:00:00.000Z': '2026-11-23T06:00:00.000Z',
      '2026-11-23T05:59:59.999Z': '2026-11-23T06:00:00.000Z',
      '2026-11-23T06:00:00.000Z': null,
    },
  },
  {
    of: 'minutes',
    window: { cron: '30 9 * * *', duration: '90m', time_zone: 'Asia/Kolkata' },
    until: {
      '2026-11-20T03:59:00Z': null,
      '2026-11-20T04:00:00Z': '2026-11-20T05:30:00.000Z',
      '2026-11-20T05:30:00Z': null,
    },
  },
  {
    of: 'the night in which the clock is put forward: it ends at 06:00 by the clock, an hour sooner',
    window: { cron: '0 22 * * *', duration: '8h', time_zone: 'Europe/Berlin' },
    until: {
      '2026-03-28T20:59:59Z': null,
      '2026-03-28T21:00:00Z': '2026-03-29T04:00:00.000Z',
      '2026-03-29T03:59:59Z': '2026-03-29T04:00:00.000Z',
      '2026-03-29T04:00:00Z': null,
    },
  },
  {
    of: 'the night in which the clock is put back: it ends at 06:00 by the clock, an hour later',
    window: { cron: '0 22 * * *', duration: '8h', time_zone: 'Europe/Berlin' },
    until: {
      '2026-10-24T20:00:00Z': '2026-10-25T05:00:00.000Z',
      '2026-10-25T04:59:59Z': '2026-10-25T05:00:00.000Z',
      '2026-10-25T05:00:00Z': null,
    },
  },
  {
    of: 'a begin that the clock skips: with the change',
    window: { cron: '30 2 * * *', duration: '2h', time_zone: 'Europe/Berlin' },
    until: {
      '2026-03-29T00:59:59Z': null,
      '2026-03-29T01:00:00Z': '2026-03-29T02:30:00.000Z',
      '2026-03-29T02:30:00Z': null,
    },
  },
  {
    of: 'an end that the clock skips: with the change',
    window: { cron: '0 1 * * *', duration: '90m', time_zone: 'Europe/Berlin' },
    until: { '2026-03-29T00:30:00Z': '2026-03-29T01:00:00.000Z', '2026-03-29T01:00:00Z': null },
  },
  {
    of: 'a window within skipped hours of the clock: it does not take place',
    window: { cron: '10 2 * * *', duration: '30m', time_zone: 'Europe/Berlin' },
    until: { '2026-03-29T00:59:59Z': null, '2026-03-29T01:00:00Z': null, '2026-03-29T01:20:00Z': null },
  },
  {
    of: 'times that the clock shows twice: from the first to the second',
    window: { cron: '30 2 * * *', duration: '20m', time_zone: 'Europe/Berlin' },
    until: {
      '2026-10-25T00:29:59Z': null,
      '2026-10-25T00:30:00Z': '2026-10-25T01:50:00.000Z',
      '2026-10-25T00:55:00Z': '2026-10-25T01:50:00.000Z',
      '2026-10-25T01:10:00Z': '2026-10-25T01:50:00.000Z',
      '2026-10-25T01:49:59Z': '2026-10-25T01:50:00.000Z',
      '2026-10-25T01:50:00Z': null,
    },
  },
  {
    of: 'New York, whose clocks change on other days',
    window: { cron: '0 0 * * 0', duration: '1d', time_zone: 'America/New_York' },
    until: { '2026-03-08T05:00:00Z': '2026-03-09T04:00:00.000Z', '2026-11-01T04:00:00Z': '2026-11-02T05:00:00.000Z' },
  },
  {
    of: 'Lord Howe, whose clocks change by half an hour, put forward',
    window: { cron: '0 1 * * *', duration: '2h', time_zone: 'Australia/Lord_Howe' },
    until: { '2026-10-03T14:30:00Z': '2026-10-03T16:00:00.000Z', '2026-10-03T16:00:00Z': null },
  },
  {
    of: 'Lord Howe, put back',
    window: { cron: '45 1 * * *', duration: '10m', time_zone: 'Australia/Lord_Howe' },
    until: {
      '2026-04-04T14:44:59Z': null,
      '2026-04-04T14:45:00Z': '2026-04-04T15:25:00.000Z',
      '2026-04-04T15:05:00Z': '2026-04-04T15:25:00.000Z',
      '2026-04-04T15:25:00Z': null,
    },
  },
  {
    of: 'Samoa, which had no 30 December 2011: a window of that day does not take place',
    window: { cron: '0 9 30 12 *', duration: '8h', time_zone: 'Pacific/Apia' },
    until: { '2011-12-30T09:59:59Z': null, '2011-12-30T10:00:00Z': null, '2011-12-30T20:00:00Z': null },
  },
  {
    of: 'Samoa: a window around that day',
    window: { cron: '0 18 29 12 *', duration: '2d', time_zone: 'Pacific/Apia' },
    until: { '2011-12-30T04:00:00Z': '2011-12-31T04:00:00.000Z', '2011-12-31T04:00:00Z': null },
  },
  {
    of: 'the last Friday of the month',
    window: { cron: '0 0 * * 5L', duration: '1d' },
    until: { '2026-11-20T12:00:00Z': null, '2026-11-27T12:00:00Z': '2026-11-28T00:00:00.000Z' },
  },
  {
    of: 'windows that touch: one',
    window: { cron: '0 0 * * 6,0', duration: '1d' },
    until: { '2026-11-21T12:00:00Z': '2026-11-23T00:00:00.000Z' },
  },
  {
    of: 'windows that overlap: one',
    window: { cron: '0 8-17 * * *', duration: '90m' },
    until: { '2026-11-21T08:10:00Z': '2026-11-21T18:30:00.000Z', '2026-11-21T18:30:00Z': null },
  },
  {
    of: 'windows without a pause between them: a later time',
    window: { cron: '* * * * *', duration: '1d' },
    until: { '2026-01-01T00:00:00Z': '2026-02-20T00:00:00.000Z' },
  },
  {
    of: 'a leap day',
    window: { cron: '0 0 29 2 *', duration: '366d' },
    until: { '2024-02-29T00:00:00Z': '2025-03-01T00:00:00.000Z', '2026-01-01T00:00:00Z': null },
  },
]

describe('a freeze window', () => {
  test.each(WINDOWS)('of $of', ({ window, until }) => {
    expect(freezeFaults(window)).toEqual([])
    expect(Object.fromEntries(Object.keys(until).map((now) => [now, at(window, now)]))).toEqual(until)
  })

  test('is rejected for each invalid member', () => {
    const faultsOf = (part: Partial<FreezeWindow>) =>
      freezeFaults({ cron: '0 22 * * 5', duration: '1d', ...part }).map(
        ({ member, message }) => `${member}: ${message}`,
      )
    const fiveFields = 'cron: must have the five fields minute, hour, day, month and weekday, such as `0 22 * * 5`'
    const duration =
      'duration: must be a number of minutes, hours or days such as `90m`, `2h` or `1d`, at most 366 days'
    for (const cron of ['', '* * * *', '* * * * * *', '@daily', '@reboot', '2026-01-01T00:00:00', '0 '.repeat(200)])
      expect(faultsOf({ cron }), cron).toEqual([fiveFields])
    expect(faultsOf({ cron: '0 0 30 2 *' })).toEqual(['cron: `0 0 30 2 *` names a time that never comes'])
    expect(faultsOf({ cron: '0 25 * * *' })[0]).toMatch(/^cron: `0 25 \* \* \*` is no cron expression: /)
    for (const text of ['', '1', '0m', '1w', '-1d', '1.5h', '367d', '1000000m', '1d ', 'P1D'])
      expect(faultsOf({ duration: text }), text).toEqual([duration])
    for (const zone of ['', 'Mars/Olympus', '+02:00', '2026-01-01T00:00[Europe/Berlin]', 'Europe/Berlin\n'])
      expect(faultsOf({ time_zone: zone })[0], zone).toMatch(/^time_zone: .* is no IANA time zone/)
    expect(faultsOf({ cron: 'x', duration: 'x', time_zone: 'x' })).toHaveLength(3)
  })

  test('has an answer for every valid pattern, and its end is after the requested time', () => {
    const field = fc.stringMatching(/^[0-9*,/L#W?+-]{1,6}$/)
    const pattern = fc.tuple(field, field, field, field, field).map((fields) => fields.join(' '))
    const time = fc.date({ min: new Date('1990-01-01'), max: new Date('2060-01-01'), noInvalidDate: true })
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'Pacific/Apia', 'America/Sao_Paulo')
    fc.assert(
      fc.property(pattern, time, zone, (cron, now, time_zone) => {
        const window = { cron, duration: '2h', time_zone }
        if (freezeFaults(window).length > 0) return
        const end = frozenUntil(window, now)
        if (end !== null) expect(end.getTime()).toBeGreaterThan(now.getTime())
      }),
    )
  })

  test('has times in a range that are exactly those at which it holds', () => {
    const cron = fc.constantFrom('0 22 * * *', '30 2 * * *', '0 0 * * 6,0', '15 1-3 * * *', '0 9 1 * *', '10 2 * 3 0')
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'Pacific/Apia', 'America/Sao_Paulo')
    const begin = fc.constantFrom('2026-03-26', '2026-10-22', '2026-04-02', '2011-12-28', '2018-11-01', '2026-06-29')
    const duration = fc.constantFrom('20m', '30m', '90m', '8h', '1d')
    fc.assert(
      fc.property(cron, zone, begin, duration, (pattern, time_zone, day, length) => {
        const window = { cron: pattern, duration: length, time_zone }
        const from = new Date(day)
        const to = new Date(from.getTime() + 6 * 86_400_000)
        const times = frozenTimesIn(window, { from, to }).take(100).toArray()
        const bounds = times.flatMap((one) =>
          [one.from, one.to].flatMap((bound) => [bound.getTime() - 1, bound.getTime()]),
        )
        const spread = Array.from({ length: 20 }, (_, index) => from.getTime() + index * 7 * 3_600_000)
        for (const now of [...bounds, ...spread].filter((one) => one >= from.getTime() && one < to.getTime())) {
          const until = frozenUntil(window, new Date(now))
          const found = times.find((one) => one.from.getTime() <= now && now < one.to.getTime())
          const title = `${pattern} for ${length} in ${time_zone} at ${new Date(now).toISOString()}`
          // Windows without a pause have no end of their own.
          if (pattern.endsWith('* * *') && length === '1d') expect(found !== undefined, title).toBe(until !== null)
          else expect(found?.to ?? null, title).toEqual(until)
        }
        expect(frozenTimesIn(window, { from, to }).take(1).toArray()).toEqual(times.slice(0, 1))
      }),
    )
  })

  test('without a pause is cut into times that touch', () => {
    const range = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-01-01T03:00:00Z') }
    const times = frozenTimesIn({ cron: '* * * * *', duration: '1m' }, range).take(10).toArray()
    expect(times[0]?.from.getTime()).toBeLessThanOrEqual(range.from.getTime())
    for (const [index, { from }] of times.slice(1).entries()) expect(from).toEqual(times[index]?.to)
  })

  test('holds exactly while the clock is within it, on days without a change', () => {
    const minutes = fc.integer({ min: 0, max: 7 * 24 * 60 - 1 })
    fc.assert(
      fc.property(minutes, fc.integer({ min: 1, max: 600 }), (after, length) => {
        const begin = Date.parse('2026-06-01T07:15:00Z')
        const now = begin + after * 60_000
        // Each Monday 09:15 in Berlin; the rest of the week is free.
        const end = frozenUntil(
          { cron: '15 9 * * 1', duration: `${length}m`, time_zone: 'Europe/Berlin' },
          new Date(now),
        )
        expect(end?.getTime() ?? null).toBe(after < length ? begin + length * 60_000 : null)
      }),
    )
  })
})
