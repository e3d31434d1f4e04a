import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { call, newProject } from '../../../test/harness.ts'
import { actIn, newMember, newPerson, type Person } from '../../../test/http/people.ts'
import { openBrowser, tabTo, visit } from './browser.testing.ts'

let browser: Browser
let host: Person
let receiver: Server
let received: string[]

beforeAll(async () => {
  browser = await openBrowser()
  host = await newPerson()
  received = []
  receiver = createServer((request, response) => {
    received.push(String(request.headers['x-agenta-event-type']))
    response.writeHead(204).end()
  })
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await browser.close()
  receiver.close()
})

const keyOf = ({ authorization }: Person) => ({ apiKey: authorization.slice('ApiKey '.length) })

test('by mouse: a key is made, shown once, and revoked', async () => {
  const { page, faults, close } = await visit(browser, keyOf(host), '/w/settings')
  await page.getByText('the key of this browser').waitFor()
  await page.getByRole('button', { name: 'New key' }).dblclick({ delay: 100 })
  const key = await page.getByRole('status').locator('code').textContent()
  const prefix = key?.split('.')[0] as string
  await page.getByRole('button', { name: `Revoke ${prefix}` }).waitFor()
  expect(await page.getByRole('button', { name: /^Revoke / }).count()).toBe(2)
  // The second click is no answer.
  await page.getByRole('button', { name: `Revoke ${prefix}` }).dblclick({ delay: 100 })
  await page.getByRole('group', { name: 'Revoke it?' }).getByRole('button', { name: 'Yes' }).click()
  await page.getByRole('button', { name: `Revoke ${prefix}` }).waitFor({ state: 'detached' })
  expect(await page.getByText('Copy the key now').count()).toBe(0)
  expect(faults).toEqual([])
  await close()
})

test('a key says until when it is accepted, or that it is no longer', async () => {
  const person = await newPerson()
  const api_key = { project_ref: { id: person.project_id }, user_ref: { id: person.user_id } }
  const { apiUrl, adminKey } = inject('target')
  for (const expires_at of ['2026-01-02T03:04:05Z', '2255-01-02T03:04:05Z'])
    await call(apiUrl, 'POST', '/api/admin/simple/accounts/api-keys/', `Access ${adminKey}`, {
      api_key: { ...api_key, expires_at },
    })
  const { page, close } = await visit(browser, keyOf(person), '/w/settings/keys')
  await page.getByText(/, expired /).waitFor()
  await page.getByText(/, expires .*2255/).waitFor()
  expect(await page.getByText(/expire/).count()).toBe(2)
  await close()
})

test('by keyboard only: a provider is added and deleted', async () => {
  const { page, close } = await visit(browser, keyOf(host), '/w/settings/secrets')
  await tabTo(page, page.getByRole('radio', { name: 'Known provider' }))
  await page.keyboard.press('ArrowRight')
  await tabTo(page, page.getByLabel('Name', { exact: true }))
  await page.keyboard.type('house')
  await page.keyboard.press('Tab')
  await page.keyboard.type('https://models.example.com/v1')
  await page.keyboard.press('Tab')
  await page.keyboard.type('small, large')
  await page.keyboard.press('Tab')
  await page.keyboard.type('a-secret')
  await page.keyboard.press('Enter')
  await page.getByText('provider with an address: small, large').waitFor()
  expect(await page.getByText('a-secret').count()).toBe(0)
  const remove = page.getByRole('button', { name: 'Delete house' })
  await tabTo(page, remove)
  // Held down, the key asks and is no answer.
  for (let times = 0; times < 3; times++) await page.keyboard.down('Enter')
  await page.keyboard.up('Enter')
  await page.getByRole('button', { name: 'Yes' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect.poll(() => remove.evaluate(button => button === document.activeElement)).toBe(true)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.getByText('No secret is stored yet.').waitFor()
  await close()
})

test('retention and prices are saved, and wrong ones are rejected with the reason', async () => {
  const { page, close } = await visit(browser, keyOf(host), '/w/settings/retention')
  await page.getByText('Spans are kept forever.').waitFor()
  await page.getByRole('spinbutton').fill('30')
  await page.getByText('Spans that are older than 30 days will be deleted.').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Spans are deleted 30 days after they were stored.').waitFor()
  const focused = page.locator(':focus')
  expect(await focused.textContent()).toBe('Save')
  await page.getByRole('link', { name: 'Prices' }).click()
  await page.getByRole('button', { name: 'Add a model' }).click()
  await page.getByRole('textbox', { name: 'Model 1' }).fill('house-*')
  await page.getByRole('spinbutton', { name: 'Input of model 1', exact: true }).fill('0.12345678')
  await page.getByRole('spinbutton', { name: 'Output of model 1' }).fill('2')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('no more than 6 decimal places').waitFor()
  await page.getByRole('spinbutton', { name: 'Input of model 1', exact: true }).fill('0.5')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(async () => (await host.ask('GET', '/projects/current/prices')).body)
    .toEqual({ prices: { 'house-*': { input: 0.5, output: 2 } } })
  await page.getByText('Saved.').waitFor()
  expect(await focused.textContent()).toBe('Save')
  await page.getByRole('textbox', { name: 'Model 1' }).fill('home-*')
  await page.getByRole('textbox', { name: 'Model 1' }).press('Enter')
  await page.getByText('Saved.').waitFor()
  expect(await focused.getAttribute('aria-label')).toBe('Model 1')
  await close()
})

test('a webhook is added and tested, and its deliveries are shown', async () => {
  const { page, close } = await visit(browser, keyOf(host), '/w/settings/webhooks')
  await page.getByLabel('Name', { exact: true }).fill('Ops')
  await page.getByLabel('Address').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`)
  await page.getByRole('button', { name: 'Add' }).click()
  const webhook = page.getByRole('article', { name: 'Ops' })
  await webhook.getByRole('button', { name: 'Send a test' }).click()
  await webhook.getByText('Test: success').waitFor()
  expect(received).toContain('webhooks.subscriptions.tested')
  await webhook.getByRole('list', { name: 'Deliveries' }).getByText('success (204)').waitFor()
  await webhook.getByRole('button', { name: 'Stop' }).click()
  await webhook.getByText('stopped;').waitFor()
  await webhook.getByRole('button', { name: 'Delete Ops' }).click()
  await webhook.getByRole('button', { name: 'Yes' }).click()
  await page.getByText('This project has no webhook yet.').waitFor()
  await close()
})

test('members are invited and get roles; a viewer sees why controls are off', async () => {
  const person = await newMember(host, 'developer')
  const made = await actIn(host, person)('POST', '/keys')
  const { page, close } = await visit(browser, keyOf(host), '/w/settings/members')
  await page.getByRole('textbox', { name: 'Email address' }).fill('ada@corp.test')
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByText('Send this link to the person you invite.').waitFor()
  await page.getByRole('button', { name: 'Withdraw the invitation of ada@corp.test' }).waitFor()
  await page.getByRole('combobox', { name: `Role of ${person.email}` }).selectOption('viewer')
  await expect
    .poll(async () => (await actIn(host, person)('GET', '/projects/current')).body.user_role, { timeout: 15_000 })
    .toBe('viewer')
  await close()

  const viewer = await visit(browser, { apiKey: made.body }, '/w/settings/keys')
  await viewer.page.getByRole('note').getByText('Your role in this project, viewer, does not have').waitFor()
  expect(await viewer.page.getByRole('button', { name: 'New key' }).isDisabled()).toBe(true)
  // The keys may be asked for, and refused, before the rights are known: that is said once.
  const refused = viewer.page.waitForResponse('**/api/keys')
  await viewer.page.route('**/api/access/roles', async route => {
    await refused
    await route.continue()
  })
  await viewer.page.reload()
  await viewer.page.getByRole('note').getByText('Your role in this project, viewer, does not have').waitFor()
  expect(await viewer.page.getByRole('alert').count()).toBe(0)
  await viewer.page.getByRole('link', { name: 'Secrets' }).click()
  await viewer.page.getByText('does not have the permission edit_secret').waitFor()
  expect(await viewer.page.getByRole('button', { name: 'Add' }).isDisabled()).toBe(true)
  await viewer.page.getByRole('link', { name: 'Playground' }).click()
  await viewer.page.getByText('does not have the permission edit_application').waitFor()
  expect(await viewer.page.getByRole('button', { name: 'New application …' }).isDisabled()).toBe(true)
  await viewer.close()
})

test('the link of an invitation is accepted with the own key, and not with that of somebody else', async () => {
  const [guest, other] = [await newPerson(), await newPerson()]
  const path = `/organizations/${host.organization_id}/workspaces/${host.workspace_id}`
  const invited = await host.ask('POST', `${path}/invite`, [{ email: guest.email, roles: ['viewer'] }])
  const link = new URL(invited.body.url)
  const { page, faults, close } = await visit(browser, keyOf(other), link.pathname + link.search)
  await page.getByText(guest.email).waitFor()
  await page.getByRole('button', { name: 'Accept the invitation' }).click()
  await page.getByText('The invitation was not accepted.').waitFor()
  await page.getByRole('button', { name: 'Use another API key' }).click()
  await page.getByLabel('API key').fill(keyOf(guest).apiKey)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Accept the invitation' }).click()
  await page.getByRole('heading', { name: 'You are a member now' }).waitFor()
  const mine = await guest.ask('GET', '/projects')
  expect(mine.body.map(({ project_id }: { project_id: string }) => project_id)).toContain(host.project_id)
  expect(faults).toEqual([])
  await close()
})

test('the link for a new password needs no key and works once', async () => {
  const made = await host.ask('POST', `/profile/reset-password?user_id=${host.user_id}`)
  const link = new URL(made.body)
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  await page.goto(made.body)
  await page.getByLabel('New password').fill('long enough for now')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await page.getByRole('heading', { name: 'The new password is set' }).waitFor()
  await page.goto(link.href)
  await page.getByLabel('New password').fill('another long one')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await page.getByText('The password was not set.').waitFor()
  expect(await page.title()).toBe('New password – Spanhouse')
  await context.close()
})

test('an invitation for a long address fits a narrow page', async () => {
  const email = `${'somebody.with.a.long.name.'.repeat(3)}@departments.example.com`
  const { page, close } = await visit(browser, keyOf(host), `/w/invitation?token=a&email=${email}`, {
    viewport: { width: 320, height: 700 },
  })
  await page.getByText(email).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  const [accept, other] = await Promise.all(
    ['Accept the invitation', 'Use another API key'].map(name => page.getByRole('button', { name }).boundingBox()),
  )
  expect((accept?.y ?? 0) + (accept?.height ?? 0)).toBeLessThan(other?.y ?? 0)
  await close()
})

test('what was made is copied, and where browsers let no page copy there is no button for it', async () => {
  const options = { permissions: ['clipboard-read', 'clipboard-write'] }
  const { page, faults, close } = await visit(browser, keyOf(host), '/w/settings', options)
  await page.getByRole('button', { name: 'New key' }).click()
  const made = await page.getByRole('status').locator('code').textContent()
  await page.getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(made)
  await page.addInitScript("Object.defineProperty(globalThis, 'isSecureContext', { value: false })")
  await page.reload()
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('status').locator('code').waitFor()
  expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
  expect(faults).toEqual([])
  await close()
})

test('by keyboard only: who deployed what, the change, and an earlier revision deployed again', async () => {
  const own = await newProject()
  const post = async (path: string, body: object): Promise<any> => (await own.post(`/api${path}`, body)).body
  const dataOf = (text: string) => ({
    uri: 'agenta:custom:hook:v0',
    url: 'https://localhost/hook',
    parameters: { text },
  })
  const { application } = await post('/simple/applications/', {
    application: { slug: 'greeter', name: 'Greeter', data: dataOf('Say hello.') },
  })
  const { application_revision } = await post('/applications/revisions/commit', {
    application_revision_commit: { application_variant_id: application.variant_id, data: dataOf('Say goodbye.') },
  })
  const { environments } = await post('/simple/environments/query', {})
  const environment = environments.find(({ slug }: { slug: string }) => slug === 'staging')
  for (const [id, message] of [
    [application.revision_id, 'The first one'],
    [application_revision.id, 'Politer'],
  ])
    await post('/applications/revisions/deploy', {
      application_revision_ref: { id },
      environment_ref: { id: environment.id },
      message,
    })
  const { page, faults, close } = await visit(browser, own, '/w/settings/environments')
  await tabTo(page, page.getByRole('radio', { name: 'development' }))
  await page.getByText('Nothing has been deployed there yet.').waitFor()
  await page.keyboard.press('ArrowRight')
  await page.waitForURL(new RegExp(`environment=${environment.id}`))
  await page.reload()
  const deployments = page.getByRole('list', { name: 'Deployments to staging, newest first' }).getByRole('listitem')
  await deployments.nth(1).waitFor()
  expect(await deployments.first().textContent()).toMatch(/ ?by .*Politer.*greeter: v1 → v2/)
  expect(await deployments.last().textContent()).toMatch(/by .*The first one.*greeter: v1/)
  await tabTo(page, deployments.first().getByRole('button', { name: 'What changed' }))
  await page.keyboard.press('Enter')
  await page.getByLabel('Change of greeter').getByText('Say goodbye.').waitFor()
  await page.getByLabel('Change of greeter').getByText('Say hello.').waitFor()

  const again = deployments.last().getByRole('button', { name: 'Deploy v1 again …' })
  await tabTo(page, again)
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Deploy greeter v1' })
  await dialog.getByText('v2 is deployed there now. The change:').waitFor()
  await page.keyboard.type('Back to the first')
  await page.keyboard.press('Enter')
  await dialog.getByText('Deployed: staging now runs v1.').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await deployments.nth(2).waitFor()
  expect(await deployments.first().textContent()).toMatch(/Back to the first.*greeter: v2 → v1/)
  await expect.poll(() => again.evaluate(button => button === document.activeElement)).toBe(true)
  expect(faults).toEqual([])
  await close()
})
