import type { Locator } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../http/server.testing.ts'
import { expectAccess } from './axe.testing.ts'
import { CHROMIUM, newProject, useStudio } from './browser.testing.ts'

/** Counts the actions of a story: clicks and filled fields. */
function countActions() {
  let count = 0
  return {
    count: () => count,
    async click(target: Locator) {
      count++
      await target.click()
    },
    async fill(target: Locator, text: string) {
      count++
      await target.fill(text)
    },
  }
}

describe.skipIf(CHROMIUM === undefined)('stories with a limit of actions', () => {
  const studio = useStudio()

  test('a reviewer is invited with a new role in six', async () => {
    const { team } = await newProject(studio.platform())
    const page = await studio.open(team.owner)
    // As on a page without a certificate.
    await page.addInitScript('delete Navigator.prototype.clipboard')
    await page.goto(`${studio.platform().publicUrl}/o/${team.id}`)
    const { click, fill, count } = countActions()
    const dialog = page.getByRole('dialog')
    await click(page.getByRole('link', { name: 'People' }))
    await click(page.getByRole('button', { name: 'Invite' }))
    await fill(dialog.getByLabel('E-mail'), 'rita@example.com')
    await click(dialog.getByRole('checkbox', { name: 'Risk officer (new role)' }))
    await expectAccess(page, 'the invitation')
    await click(dialog.getByRole('button', { name: 'Invite' }))
    await click(dialog.getByRole('button', { name: 'Copy' }))
    await dialog.getByRole('button', { name: 'Copied' }).waitFor()
    expect(count()).toBe(6)
    const link = /http\S+/.exec(await dialog.innerText())?.[0]

    const { body: roles } = await team.owner.request('GET', `${team.path}/roles`)
    const { permissions } = roles.items.find(({ name }: { readonly name: string }) => name === 'Risk officer')
    expect(permissions.toSorted()).toEqual(['audit.read', 'project.read', 'release.approve', 'test.run'])
    const { body: invitations } = await team.owner.request('GET', `${team.path}/invitations`)
    expect(invitations.items).toMatchObject([{ email: 'rita@example.com', roles: ['Risk officer'] }])
    // The next invitation has it among the others.
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Invite' }).click()
    await dialog.getByRole('checkbox', { name: 'Risk officer', exact: true }).waitFor()
    await dialog.getByLabel('E-mail').focus()
    await page.keyboard.press('Control+V')
    expect(await dialog.getByLabel('E-mail').inputValue()).toBe(link)
    expect(await dialog.getByRole('checkbox', { name: 'Rule author (new role)' }).count()).toBe(1)
  })

  test('members who may not create roles are offered none', async () => {
    const { team } = await newProject(studio.platform())
    const role = await team.owner.request('POST', `${team.path}/roles`, {
      name: 'Team lead',
      permissions: ['project.read', 'audit.read', 'test.run', 'release.approve', 'member.manage'],
    })
    expect(role.status, role.text).toBe(201)
    const page = await studio.open(await team.join(['Team lead']))
    await page.goto(`${studio.platform().publicUrl}/o/${team.id}/members`)
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('dialog').getByRole('checkbox', { name: 'Team lead' }).waitFor()
    expect(await page.getByRole('checkbox', { name: /new role/ }).count()).toBe(0)
  })

  test('an engine is connected in four, and serves an environment with the fifth', async () => {
    const { team, path, url } = await newProject(studio.platform())
    const page = await studio.open(team.owner)
    await page.goto(`${url}/engines`)
    const { click, fill, count } = countActions()
    const dialog = page.getByRole('dialog')
    await click(page.getByRole('button', { name: 'Connect an engine' }))
    await fill(dialog.getByLabel('Name of the engine'), 'eu-1')
    await click(dialog.getByRole('button', { name: 'Make a token' }))
    await click(dialog.getByRole('button', { name: 'Copy' }))
    const [, token = ''] = /--platform-connect-token (\S+)/.exec(await dialog.innerText()) ?? []
    await dialog.getByText('Waiting for the engine…').waitFor()
    const engine = await startServer(
      '--platform-url',
      studio.platform().url,
      '--platform-connect-token',
      token,
      '--platform-server-name',
      'eu-1',
    )
    onTestFinished(() => engine.stop())
    await dialog.getByText('eu-1 has joined.').waitFor()
    await expectAccess(page, 'an engine that has joined')
    const uses = dialog.getByRole('group', { name: 'Environments that it serves' })
    await click(uses.getByRole('checkbox', { name: 'prod' }))
    expect(count()).toBe(5)
    const environment = async () => (await team.owner.request('GET', `${path}/environments/prod`)).body
    const { body: servers } = await team.owner.request('GET', `/api/v1/servers?org_id=${team.id}`)
    const { id } = servers.items.find(({ name }: { readonly name: string }) => name === 'eu-1')
    await expect.poll(async () => (await environment()).server_ids).toEqual([id])
    await expect.poll(() => uses.getByRole('checkbox', { name: 'prod' }).isChecked()).toBe(true)
    await uses.getByRole('checkbox', { name: 'prod' }).click()
    await expect.poll(async () => (await environment()).server_ids).toEqual([])
  })
})
