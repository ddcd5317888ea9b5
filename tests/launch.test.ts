import { appendFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { isFresh, sourceLine } from '@engine/process/launch'

const ROOT = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'launch-'))
const [list, source] = [join(folder, 'sources.txt'), join(folder, 'source.ts')]
const bundle = pathToFileURL(`${folder}/`)
afterAll(() => rmSync(folder, { recursive: true }))

test.each(['engine-server', 'platform-server', 'engine-start', 'engine-tools'])('%s runs from its bundle', (app) => {
  expect(isFresh(pathToFileURL(join(ROOT, 'apps', app, 'dist/program/')))).toBe(true)
})

describe('a bundle is run', () => {
  beforeEach(() => {
    writeFileSync(source, 'export {}\n')
    const line = sourceLine(relative(ROOT, source))
    writeFileSync(list, `${sourceLine('package.json')}\n${line}\n`)
  })

  const changes: readonly (readonly [string, boolean, () => void])[] = [
    ['as long as its sources are as they were', true, () => {}],
    ['not when one has another size', false, () => appendFileSync(source, '\n')],
    ['not when one has another time', false, () => utimesSync(source, 1, 1)],
    ['not when one is gone', false, () => rmSync(source)],
    ['not when it was not written to its end', false, () => rmSync(list)],
    ['not when its list is empty', false, () => writeFileSync(list, '')],
  ]
  test.each(changes)('%s', (_when, expected, change) => {
    change()
    expect(isFresh(bundle)).toBe(expected)
  })
})
