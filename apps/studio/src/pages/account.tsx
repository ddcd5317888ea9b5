import { useState } from 'react'
import { useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { chooseTheme, THEMES, useTheme } from '../frame/theme.ts'
import { useMe } from '../frame/route-scope.ts'
import { type Language, LANGUAGES, useLanguage, useTexts, useTime } from '../texts/texts.tsx'
import { usePageTexts } from '../texts/page-texts.ts'
import { Form } from '../ui/form.tsx'
import { ListTable } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Pending, Refusal } from '../ui/states.tsx'
import { describeBrowser } from './browser-name.ts'

/** The user's account: name, password, sessions, and the appearance of the studio. */
export function AccountPage() {
  const { account: texts } = useTexts()
  const me = useMe()
  const user = me.data?.user ?? undefined
  return (
    <Page title={texts.title} text={texts.text}>
      {user === undefined ? (
        <Pending of={me} />
      ) : (
        <>
          <Profile user={user} />
          <Appearance />
          <Password email={user.email} />
          <Sessions />
        </>
      )}
    </Page>
  )
}

function Profile({ user }: { readonly user: components['schemas']['User'] }) {
  const { account: texts } = useTexts()
  const change = useSend('put', '/api/v1/me', ['/api/v1/me', '/api/v1/orgs/{oid}/members'])
  const [isSaved, setSaved] = useState(false)
  return (
    <section className="card">
      <header>
        <h2>{texts.profile}</h2>
        <span className="grow" />
        <span className="muted">{user.email}</span>
      </header>
      <div className="body narrow">
        <Form
          takesFocus={false}
          key={user.display_name}
          fields={[{ name: 'display_name', label: texts.name, hint: texts.nameHint, autoComplete: 'name' }]}
          initial={{ display_name: user.display_name }}
          submit={texts.save}
          send={async (values) => {
            await change.mutateAsync({ body: { display_name: values.display_name } })
            setSaved(true)
          }}
        />
        <p role="status">{isSaved && texts.saved}</p>
      </div>
    </section>
  )
}

function Appearance() {
  const { t, language, choose } = useLanguage()
  const theme = useTheme()
  const { account: texts, frame } = t
  return (
    <section className="card">
      <header>
        <h2>{texts.appearance}</h2>
      </header>
      <div className="body stack">
        <div className="row wrap">
          <span className="label" id="account-theme">
            {frame.theme}
          </span>
          <div className="seg" role="group" aria-labelledby="account-theme">
            {THEMES.map((one) => (
              <button key={one} type="button" aria-pressed={theme === one} onClick={() => chooseTheme(one)}>
                {frame.themes[one]}
              </button>
            ))}
          </div>
        </div>
        <div className="row wrap">
          <span className="label" id="account-language">
            {frame.language}
          </span>
          <div className="seg" role="group" aria-labelledby="account-language">
            {Object.entries(LANGUAGES).map(([id, name]) => (
              <button key={id} type="button" aria-pressed={language === id} onClick={() => choose(id as Language)}>
                {name}
              </button>
            ))}
          </div>
        </div>
      </div>
    </section>
  )
}

function Password({ email }: { readonly email: string }) {
  const { account: texts } = useTexts()
  const { signIn } = usePageTexts()
  const change = useSend('post', '/api/v1/auth/change-password', ['/api/v1/me/sessions'])
  const [changed, setChanged] = useState(0)
  return (
    <section className="card">
      <header>
        <h2>{texts.password}</h2>
      </header>
      <div className="body narrow">
        <Form
          takesFocus={false}
          // The key remounts the form, which clears its fields after a change.
          key={changed}
          fields={[
            { name: 'current', label: texts.current, kind: 'password', autoComplete: 'current-password' },
            {
              name: 'next',
              label: signIn.newPassword,
              hint: signIn.passwordHint,
              kind: 'password',
              autoComplete: 'new-password',
            },
          ]}
          submit={texts.changePassword}
          send={async ({ current, next }) => {
            await change.mutateAsync({ body: { current, next } })
            setChanged(changed + 1)
          }}
        >
          {/* Password managers store the new password for this account. */}
          <input
            type="email"
            className="vh"
            tabIndex={-1}
            aria-hidden="true"
            autoComplete="username"
            readOnly
            value={email}
          />
          <p className="muted">{texts.passwordText}</p>
        </Form>
        <p role="status">{changed > 0 && texts.passwordChanged}</p>
      </div>
    </section>
  )
}

function Sessions() {
  const { account: texts } = useTexts()
  const time = useTime()
  const list = useList('/api/v1/me/sessions', {})
  const end = useSend('delete', '/api/v1/me/sessions/{id}', ['/api/v1/me/sessions'])
  const endOthers = useSend('delete', '/api/v1/me/sessions', ['/api/v1/me/sessions'])
  const others = list.items?.filter(({ current }) => !current).length ?? 0
  return (
    <>
      <div className="row wrap">
        <h2>{texts.sessions}</h2>
        <span className="grow" />
        <button
          type="button"
          className="btn"
          disabled={others === 0 || endOthers.isPending}
          onClick={() => endOthers.mutate({})}
        >
          {texts.endOthers}
        </button>
      </div>
      <Refusal error={end.error ?? endOthers.error} />
      <ListTable
        name={texts.sessions}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            title: texts.browser,
            cell: ({ user_agent: agent, current }) => (
              <span className="row">
                {describeBrowser(agent ?? '') ?? texts.unknownBrowser}
                {current && (
                  <span className="tag" data-tone="ok">
                    {texts.thisOne}
                  </span>
                )}
              </span>
            ),
          },
          { title: texts.address, cell: ({ ip }) => ip },
          { title: texts.used, cell: ({ last_used_at: at }) => <span className="muted tnum">{time(at)}</span> },
          { title: texts.begun, cell: ({ created_at: at }) => <span className="muted tnum">{time(at)}</span> },
          {
            title: texts.end,
            kind: 'actions',
            cell: ({ id, current }) =>
              !current && (
                <button type="button" className="btn" data-kind="quiet" onClick={() => end.mutate({ path: { id } })}>
                  {texts.end}
                </button>
              ),
          },
        ]}
        empty={null}
      />
    </>
  )
}
