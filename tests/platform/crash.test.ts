import { expect, test } from 'vitest'
import { IS_FULL_RUN } from '../cases.testing.ts'
import { killRounds } from './crash.testing.ts'
import { migratedDataDirectory, newLocation } from './databases.testing.ts'

/** `PLATFORM_KILL_ROUNDS` sets a larger number. */
const ROUNDS = Number(process.env['PLATFORM_KILL_ROUNDS'] ?? (IS_FULL_RUN ? 5 : 2))

const NOTHING_LOST = { acknowledged: expect.any(Number), lost: 0, broken: 0 }

test('on embedded SIGKILL loses nothing acknowledged, and change and audit are stored together or not at all', async () => {
  const directory = await migratedDataDirectory()
  const losses = await killRounds({ kind: 'embedded', directory, instanceId: 'crash' }, ROUNDS)
  process.stdout.write(`embedded, ${ROUNDS} kills: ${JSON.stringify(losses)}\n`)
  expect(losses).toEqual(NOTHING_LOST)
  expect(losses.acknowledged).toBeGreaterThan(0)
}, 3_600_000)

test('on postgres SIGKILL loses nothing acknowledged, and change and audit are stored together or not at all', async () => {
  const losses = await killRounds(await newLocation('postgres'), ROUNDS)
  process.stdout.write(`postgres, ${ROUNDS} kills: ${JSON.stringify(losses)}\n`)
  expect(losses).toEqual(NOTHING_LOST)
  expect(losses.acknowledged).toBeGreaterThan(0)
}, 3_600_000)
