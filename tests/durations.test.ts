import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TestModule, TestSpecification, Vitest } from 'vitest/node'
import { durationsText, LongestFirst, readDurations } from './longest-first.testing.ts'

const ROOT = join(import.meta.dirname, '..')

test('every file of durations.json exists, the longest first', () => {
  const durations = readDurations()
  expect(Object.keys(durations).filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  const seconds = Object.values(durations)
  expect(seconds).toEqual(seconds.toSorted((left, right) => right - left))
  expect(seconds.length).toBeGreaterThan(30)
})

/** Test files with the milliseconds that vitest knows of them. */
async function ordered(known: Readonly<Record<string, number>>, files: readonly string[]): Promise<readonly string[]> {
  const cache = {
    getTestSpecificationResult({ moduleId }: TestSpecification) {
      const duration = known[moduleId]
      return duration === undefined ? undefined : { duration, failed: false }
    },
  }
  const project = { name: 'p', config: { isolate: false, sequence: { groupOrder: 0 } } }
  const specifications = files.map((moduleId) => ({ moduleId, project }))
  const sequencer = new LongestFirst({ cache } as unknown as Vitest)
  return (await sequencer.sort(specifications as unknown as TestSpecification[])).map(({ moduleId }) => moduleId)
}

test('files run in the order of their last durations', async () => {
  expect(await ordered({ '/a': 10, '/b': 30, '/c': 20 }, ['/a', '/b', '/c'])).toEqual(['/b', '/c', '/a'])
})

test('a checkout without results has the committed durations', async () => {
  const [first = '', second = ''] = Object.keys(readDurations()).map((file) => join(ROOT, file))
  const short = join(ROOT, 'tests/durations.test.ts')
  expect(await ordered({}, [short, second, first])).toEqual([first, second, short])
  expect(await ordered({ [first]: 1 }, [short, second, first])).toEqual([second, first, short])
})

test('a run writes its long files, the longest first', () => {
  const module = (file: string, duration: number) => ({ moduleId: join(ROOT, file), diagnostic: () => ({ duration }) })
  const modules = [module('a.test.ts', 3100), module('b.test.ts', 900), module('c.test.ts', 20_400)]
  expect(durationsText(modules as unknown as readonly TestModule[])).toBe(
    '{\n  "c.test.ts": 20,\n  "a.test.ts": 3\n}\n',
  )
})
