import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { expectAccess } from './axe.testing.ts'
import { CHROMIUM, newProject, useStudio } from './browser.testing.ts'

describe.skipIf(CHROMIUM === undefined)('in a browser', () => {
  const studio = useStudio()

  test('a project is downloaded as an archive, made equal to it again, and made anew from it', async () => {
    const project = await newProject(studio.platform())
    const { owner } = project.team
    const page = await studio.open(owner)
    await page.goto(`${project.url}/settings`)
    const section = page.locator('section.card').filter({ has: page.getByRole('heading', { name: 'Archive' }) })
    const waiting = page.waitForEvent('download')
    await section.getByRole('link', { name: 'Download' }).click()
    const file = await (await waiting).path()
    const archive = { name: 'shop.tar.gz', mimeType: 'application/gzip', buffer: readFileSync(file) }
    await expectAccess(page, 'project settings')

    // The project changes: the archive takes the change back.
    const path = `${project.path}/facts`
    const fact = { name: 'order.weight', type: 'number', description: '' }
    expect((await owner.request('POST', path, fact)).status).toBe(201)
    await section.getByRole('button', { name: 'Import an archive' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Choose an archive').setInputFiles(archive)
    await dialog.getByText('The archive changes nothing.').waitFor()
    await dialog.getByLabel('Remove what the archive lacks').check()
    await dialog.getByText('1 file to remove').click()
    await dialog.getByText('facts/order.weight.json').waitFor()
    await expectAccess(page, 'import of an archive')
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('The archive was imported.').waitFor()
    const names = (await owner.request('GET', path)).body.items.map(({ name }: { name: string }) => name)
    expect(names).not.toContain('order.weight')
    expect(names).toContain('cart_amount')

    // The names of projects are unique.
    const renamed = await owner.request('PUT', project.path, { name: 'Shop before' })
    expect(renamed.status, renamed.text).toBe(200)
    await page.goto(`${studio.platform().publicUrl}/o/${project.team.id}`)
    await page.getByRole('button', { name: 'New project' }).click()
    await dialog.getByRole('button', { name: 'From an archive' }).click()
    await dialog.getByLabel('Choose an archive').setInputFiles(archive)
    await dialog.getByText(/new files$/).waitFor()
    await dialog.getByRole('button', { name: 'Create the project' }).click()
    await page.getByRole('heading', { name: /^Good / }).waitFor()
    await page.getByRole('link', { name: 'ecommerce_coupon', exact: true }).waitFor()
    expect(page.url()).not.toContain(project.id)
  })

  test('no project is made from an archive with problems, which are shown', async () => {
    const { team } = await newProject(studio.platform())
    const page = await studio.open(team.owner)
    await page.goto(`${studio.platform().publicUrl}/o/${team.id}`)
    await page.getByRole('button', { name: 'New project' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'From an archive' }).click()
    const files = [
      { path: 'project.json', text: '{"format":1,"name":"Other","current_environment":"prod"}' },
      { path: 'facts/age.json', text: '{"name":"age","type":"whole"}' },
    ]
    const buffer = Buffer.from(JSON.stringify({ files }))
    await dialog
      .getByLabel('Choose an archive')
      .setInputFiles({ name: 'other.json', mimeType: 'application/json', buffer })
    await dialog.getByText(/^The archive has /).waitFor()
    await dialog.getByText('facts/age.json').waitFor()
    expect(await dialog.getByRole('button', { name: 'Create the project' }).count()).toBe(0)
  })

  test('an organization has sub-organizations with projects of their own, which members without a role there see by name', async () => {
    const { team } = await newProject(studio.platform())
    const page = await studio.open(team.owner)
    const address = `${studio.platform().publicUrl}/o/${team.id}`
    await page.goto(address)
    const section = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Sub-organizations' }) })
    await section.getByText(/^There is no sub-organization yet/).waitFor()
    await expectAccess(page, 'organization')
    await section.getByRole('button', { name: 'New sub-organization' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Warehouse')
    await page.getByRole('dialog').getByRole('button', { name: 'New sub-organization' }).click()
    await page.getByRole('heading', { name: 'Warehouse', level: 1 }).waitFor()
    await page.getByText('No projects yet').waitFor()
    // Nothing is below a sub-organization.
    expect(await section.count()).toBe(0)
    await page.goto(address)
    await section.getByRole('link', { name: 'Warehouse' }).waitFor()
    await expectAccess(page, 'organization with a sub-organization')

    const other = await studio.open(await team.join(['viewer']))
    await other.goto(address)
    await other.getByText('no access').waitFor()
    expect(await other.getByRole('link', { name: 'Warehouse' }).count()).toBe(0)
    expect(await other.getByRole('button', { name: 'New sub-organization' }).isDisabled()).toBe(true)
  })
})
