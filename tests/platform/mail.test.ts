import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { startPlatform } from './platform.testing.ts'
import { startMailServer } from './smtp.testing.ts'

const database = useDatabase('postgres')

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

test('names in mails do not become links and hide nothing', async () => {
  const server = await startMailServer()
  const platform = await startPlatform(database(), ['--smtp-url', server.url, '--smtp-from', 'platform@example.com'])
  const person = await platform.person()
  await person.request('PUT', '/api/v1/me', { display_name: 'http://evil.test\u2028\u202Ex' })
  await platform.browser().request('POST', '/api/v1/auth/reset', { email: person.email })
  const organization = await person.request('POST', '/api/v1/orgs', { name: 'Pay at www.evil.test' })
  const invitation = { email: 'stranger@example.com', role: 'viewer' }
  const invited = await person.request('POST', `/api/v1/orgs/${organization.body.id}/members`, invitation)
  expect(invited.status).toBe(201)
  await expect.poll(() => server.mails.length).toBe(2)
  const sent = server.mails.map(({ message }) => message).join('')
  expect(sent).toContain('evil. test')
  expect(sent).not.toMatch(/evil\.test|http:\/\/evil|\u2028|\u202E|=E2=80=A[8E]/)
  await platform.stop()
  await server.stop()
})

test('the link of an invitation is sent to its address alone, and shown to the inviter where it cannot be sent', async () => {
  const server = await startMailServer()
  const platform = await startPlatform(database(), ['--smtp-url', server.url, '--smtp-from', 'platform@example.com'])
  const person = await platform.person()
  const path = `/api/v1/orgs/${(await person.request('POST', '/api/v1/orgs', { name: 'Acme' })).body.id}`
  const invite = async (email: string) => {
    const { body } = await person.request('POST', `${path}/members`, { email, role: 'viewer' })
    return body.invitation
  }
  const refused = await invite('b@refused.example')
  expect(refused).toMatchObject({ sent: false, url: expect.stringContaining('#token=') })
  expect(Object.keys(await invite('a@example.com')).toSorted()).toEqual(['expires_at', 'sent'])
  expect(server.mails.map(({ to }) => to)).toEqual(['<a@example.com>'])
  const { body } = await person.request('GET', `${path}/invitations?sort=name`)
  expect(body.items.map(({ email, sent }: { email: string; sent: boolean }) => [email, sent])).toEqual([
    ['a@example.com', true],
    ['b@refused.example', false],
  ])
  await platform.stop()
  await server.stop()
})
