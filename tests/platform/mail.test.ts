import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { startPlatform } from './platform.testing.ts'
import { startMailServer } from './smtp.testing.ts'

const database = useDatabase('embedded')

test('with a mail server the link for a new password is sent, and shown nowhere', async () => {
  const server = await startMailServer()
  const options = ['--smtp-url', server.url, '--smtp-from', 'platform@example.com']
  const platform = await startPlatform(database(), ['--public-url', 'https://platform.example', ...options])
  const { email } = await platform.person()
  const ask = (address: string) => platform.browser().request('POST', '/api/v1/auth/reset', { email: address })
  expect((await ask('unknown@example.com')).status).toBe(202)
  expect((await ask(email)).status).toBe(202)
  await expect.poll(() => server.mails.length).toBe(1)
  const [mail] = server.mails
  expect([mail?.from, mail?.to]).toEqual(['<platform@example.com>', `<${email}>`])
  const text = mail?.message.replaceAll('=\n', '').replaceAll('=3D', '=') ?? ''
  const [, token = ''] = /https:\/\/platform\.example\/sign-in#token=(eng_otl_[\w-]{43})/.exec(text) ?? []
  const { status } = await platform
    .browser()
    .request('POST', '/api/v1/auth/token', { token, password: 'another phrase' })
  expect(status).toBe(200)
  expect(existsSync(join(platform.dataDir, 'reset-links'))).toBe(false)
  await platform.stop()
  await server.stop()
})

test('more links than five in a quarter of an hour are not sent, and the answer stays the same', async () => {
  const server = await startMailServer()
  const platform = await startPlatform(database(), ['--smtp-url', server.url, '--smtp-from', 'platform@example.com'])
  const [{ email }, other] = [await platform.person(), await platform.person()]
  const ask = (address: string) => platform.browser().request('POST', '/api/v1/auth/reset', { email: address })
  for (let count = 0; count < 7; count++) expect((await ask(email)).status).toBe(202)
  await platform.stop()
  expect(server.mails).toHaveLength(5)
  expect(server.mails.every(({ to }) => to !== `<${other.email}>`)).toBe(true)
  await server.stop()
})
