import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nodeDisk } from '../store/disk.ts'
import { openDirectoryOutbox } from './directory-outbox.ts'
import type { Outbox, OutboxEvent } from './outbox.ts'
import { seeded } from './random.testing.ts'
import { type SimulatedDisk, simulatedDisk } from './simulated-disk.testing.ts'
import { outboxEvent } from './state.ts'

const FOLDER = '/rules/.outbox'
const FIRST = `${FOLDER}/0000000001.jsonl`

function change(revision: number, padding = 0): OutboxEvent {
  const event = {
    type: 'RulePut',
    tenant: 't',
    name: `n${revision % 3}`,
    version: '1',
    text: 'ä'.repeat(padding),
  } as const
  return outboxEvent({ instanceId: 'w', event, timestampMs: 5 }, revision)
}

interface Opened {
  readonly outbox: Outbox
  readonly errors: readonly string[]
}

async function open(disk: SimulatedDisk, step?: (name: string) => Promise<void>): Promise<Opened> {
  const errors: string[] = []
  const log = { error: (_: object, message: string) => void errors.push(message), warn: () => undefined }
  return { outbox: await openDirectoryOutbox({ disk: disk.mount(step), rulesDirectory: '/rules', log }), errors }
}

const revisionsOf = ({ events }: Outbox) => events.map(({ revision }) => revision)

/** The events found at start. */
async function found(disk: SimulatedDisk): Promise<readonly number[]> {
  return revisionsOf((await open(disk)).outbox)
}

describe('an outbox in files', () => {
  test('returns its entries unchanged and in order', async () => {
    const disk = simulatedDisk()
    const { outbox } = await open(disk)
    const changes = [change(1), change(5, 3), change(7)]
    for (const one of changes) await outbox.append(one)
    expect(outbox.events).toEqual(changes)
    const again = (await open(disk)).outbox
    expect([again.events, again.lastRevision]).toEqual([changes, 7])
  })

  test('forgets published changes, also across restarts', async () => {
    const disk = simulatedDisk()
    let { outbox } = await open(disk)
    for (const revision of [1, 2, 3]) await outbox.append(change(revision))
    outbox.published(2)
    expect(revisionsOf(outbox)).toEqual([3])
    await outbox.close()
    outbox = (await open(disk)).outbox
    expect(revisionsOf(outbox)).toEqual([3])
    await outbox.append(change(4))
    outbox.published(2)
    await outbox.close()
    expect(disk.paths, 'those that hold nothing are gone').toHaveLength(1)
    outbox = (await open(disk)).outbox
    expect([outbox.events, outbox.lastRevision]).toEqual([[], 4])
  })

  test('syncs once for all changes that arrive meanwhile', async () => {
    const disk = simulatedDisk()
    const { outbox } = await open(disk, () => new Promise((resolve) => setImmediate(resolve)))
    await Promise.all(Array.from({ length: 1000 }, (_, index) => outbox.append(change(index + 1))))
    expect(disk.steps.filter((step) => step === 'sync').length).toBeLessThanOrEqual(3)
    expect(await found(disk)).toHaveLength(1000)
  })

  test('is not acknowledged before it is synced, and the file before it is in its directory', async () => {
    const disk = simulatedDisk()
    const { outbox } = await open(disk)
    const before = disk.steps.length
    await outbox.append(change(1))
    expect(disk.steps.slice(before)).toEqual(['create', 'syncDirectory', 'write', 'sync'])
  })

  test('cut off at any byte, has the changes of its complete lines at the next start', async () => {
    const disk = simulatedDisk()
    const { outbox } = await open(disk)
    await outbox.append(change(1, 2))
    await outbox.append(change(2))
    outbox.published(1)
    await outbox.append(change(3))
    outbox.published(2)
    await outbox.close()
    const bytes = Buffer.from(disk.text(FIRST))
    const lines = bytes.toString('utf8').trimEnd().split('\n')
    expect(lines.map((line) => Object.keys(JSON.parse(line) as object)[0])).toEqual([
      'revision',
      'revision',
      'revision',
      'published',
      'published',
    ])
    const whole = [[], [1], [1, 2], [1, 2, 3], [2, 3], []]
    for (let length = 0; length <= bytes.length; length++) {
      const torn = simulatedDisk()
      torn.write(FIRST, bytes.subarray(0, length))
      // A line is whole with its last character; the line feed comes before the next one.
      const ends = lines.map((_, at) => Buffer.byteLength(lines.slice(0, at + 1).join('\n')))
      const count = ends.filter((end) => end <= length).length
      expect(await found(torn), `${length} bytes`).toEqual(whole[count])
      // The outbox remains usable.
      const { outbox: next } = await open(torn)
      await next.append(change(9))
      expect(await found(torn)).toEqual([...(whole[count] ?? []), 9])
    }
  })

  test('skips lines and files that are not its own', async () => {
    const disk = simulatedDisk()
    disk.write(FIRST, `nonsense\n${'\0'.repeat(50)}\n${change(1).text}\n{"published":"1"}\n{"published": 1}\n`)
    disk.write(`${FOLDER}/other.jsonl`, `${change(2).text}\n`)
    expect(await found(disk)).toEqual([1])
  })
})

describe('files without unpublished changes', () => {
  async function large(disk: SimulatedDisk, step?: (name: string) => Promise<void>): Promise<Opened> {
    const opened = await open(disk, step)
    for (const revision of [1, 2, 3]) await opened.outbox.append(change(revision, 300_000))
    return opened
  }

  test('are deleted, except for the last revision', async () => {
    const disk = simulatedDisk()
    const { outbox, errors } = await large(disk)
    outbox.published(3)
    await outbox.close()
    expect(disk.paths.map((path) => disk.text(path))).toEqual(['{"published":3}\n'])
    const again = (await open(disk)).outbox
    expect([again.events, again.lastRevision, errors]).toEqual([[], 3, []])
  })

  test('are kept while a change waits', async () => {
    const disk = simulatedDisk()
    const { outbox } = await large(disk)
    outbox.published(2)
    await outbox.close()
    expect(await found(disk)).toEqual([3])
  })

  test('do not come back when the power fails at any step', async () => {
    for (let n = 1; ; n++) {
      const disk = simulatedDisk()
      const end = endsAt()
      const { outbox } = await large(disk, end.step)
      // The mark of the changes before is durable with the change after them.
      end.at(n)
      outbox.published(3)
      await Promise.race([outbox.close(), end.reached])
      disk.losePower(seeded(n))
      // Either nothing of it was done, or all that matters: never a part of the changes.
      expect([[], [1, 2, 3]], `step ${n}`).toContainEqual(await found(disk))
      expect((await open(disk)).outbox.lastRevision).toBe(3)
      if (!end.isReached()) break
    }
  })
})

/** A process that ends at the n-th step from a moment on. */
function endsAt() {
  let left = Infinity
  let tell = () => {}
  const reached = new Promise<void>((resolve) => (tell = resolve))
  return {
    reached,
    isReached: () => left <= 0,
    at: (n: number) => void (left = n),
    step: async () => {
      left--
      if (left > 0) return
      tell()
      await new Promise(() => undefined)
    },
  }
}

describe('a disk that fails once, at any step', () => {
  test.each(['ENOSPC', 'EIO'])(
    '%s: changes are accepted, nothing in memory is lost, and work continues',
    async (code) => {
      let failures = 0
      for (let n = 1; ; n++) {
        const disk = simulatedDisk()
        let left = Infinity
        const { outbox, errors } = await open(disk, async () => {
          if (--left === 0) throw Object.assign(new Error(code), { code })
        })
        await outbox.append(change(1))
        left = n
        await outbox.append(change(2))
        await outbox.append(change(3))
        outbox.published(1)
        await outbox.append(change(4))
        expect(revisionsOf(outbox), `step ${n}`).toEqual([2, 3, 4])
        if (left > 0) break
        failures++
        expect(errors).toHaveLength(1)
        // Events written after the failure are found at start.
        await outbox.append(change(5))
        expect(await found(disk)).toContain(5)
        outbox.published(4)
        await outbox.close()
        expect(await found(disk), `step ${n}`).toEqual([])
      }
      expect(failures).toBeGreaterThan(2)
    },
  )

  test('a directory that cannot be synced leaks no open file', async () => {
    const disk = simulatedDisk()
    const { outbox } = await open(disk, async (name) => {
      if (name === 'syncDirectory') throw new Error('EIO')
    })
    await outbox.append(change(1))
    expect(disk.steps.filter((step) => step === 'close')).toHaveLength(1)
  })

  test('a start that cannot read reports it', async () => {
    const disk = simulatedDisk()
    disk.write(FIRST, change(1).text)
    await expect(
      open(disk, (name) => (name === 'read' ? Promise.reject(new Error('EIO')) : Promise.resolve())),
    ).rejects.toThrow('EIO')
  })
})

test('a crash or power loss at any step: a start finds everything acknowledged but not published', async () => {
  for (const losesPower of [false, true]) {
    for (let n = 1; ; n++) {
      const disk = simulatedDisk()
      const end = endsAt()
      const { outbox } = await open(disk, end.step)
      const acknowledged: number[] = []
      const published: number[] = []
      end.at(n)
      const run = async () => {
        for (const revision of [1, 2, 3, 4, 5]) {
          await outbox.append(change(revision, 100_000))
          acknowledged.push(revision)
          if (revision % 2 === 1) continue
          outbox.published(2)
          published.push(revision - 1, revision)
        }
        outbox.published(1)
        published.push(5)
        await outbox.close()
      }
      await Promise.race([run(), end.reached])
      if (losesPower) disk.losePower(seeded(n))
      const left = await found(disk)
      expect(left, `step ${n}`).toEqual(left.toSorted((one, other) => one - other))
      expect(left).toEqual(expect.arrayContaining(acknowledged.filter((revision) => !published.includes(revision))))
      // Events published but not marked are published again, with everything after them.
      if (left[0] !== undefined) expect(left).toEqual(Array.from(left, (_, at) => (left[0] ?? 0) + at))
      if (!end.isReached()) break
    }
  }
})

test('a link in place of its folder is refused: changes would be written outside the rules directory', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'engine-outbox-'))
  try {
    mkdirSync(join(scratch, 'rules'))
    symlinkSync(scratch, join(scratch, 'rules', '.outbox'))
    const log = { error: () => undefined, warn: () => undefined }
    await expect(openDirectoryOutbox({ disk: nodeDisk, rulesDirectory: join(scratch, 'rules'), log })).rejects.toThrow(
      '`.outbox` of the rules directory',
    )
  } finally {
    rmSync(scratch, { recursive: true })
  }
})
