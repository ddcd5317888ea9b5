import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiDocument, apiTypes } from '../../apps/studio/build/api-types.ts'
import { useDatabase } from '../platform/databases.testing.ts'
import { startPlatform, type TestPlatform } from '../platform/platform.testing.ts'

const SCHEMA = join(import.meta.dirname, '../../apps/studio/src/api/schema.ts')
const database = useDatabase('postgres')
let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform(database())
})
afterAll(() => platform.stop())

test('the studio is compiled against the interface that the platform describes', async () => {
  const { body } = await platform.browser().request('GET', '/api/v1/openapi.json')
  // `npx vitest run tests/studio/api-types.test.ts -u` writes the file.
  await expect(apiTypes(body as ApiDocument)).toMatchFileSnapshot(SCHEMA)
})
