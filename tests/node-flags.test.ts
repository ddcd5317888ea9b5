import { NODE_FLAGS } from '@engine/process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test.each(['engine-server/bin/engine-server.js', 'platform-server/bin/engine-platform.js'])(
  '%s runs with the Node options of the program that starts it',
  (program) => {
    const [first] = readFileSync(join(import.meta.dirname, '../apps', program), 'utf8').split('\n')
    expect(first).toBe(`#!/usr/bin/env -S node ${NODE_FLAGS.join(' ')}`)
  },
)
