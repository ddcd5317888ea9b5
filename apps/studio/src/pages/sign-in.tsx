import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { BASE, call } from '../api/client.ts'
import { keyOf, useGet } from '../api/data.ts'
import { type ApiError, signedOut } from '../api/errors.ts'
import { DOCUMENTATION, VERSION } from '../frame/documentation.ts'
import { paths } from '../paths.ts'
import { type Language, LANGUAGES, useLanguage } from '../texts/texts.tsx'
import { usePageTexts } from '../texts/page-texts.ts'
import { Form } from '../ui/form.tsx'
import type { FormField } from '../ui/form-fields.ts'
import { Icon } from '../ui/icon.tsx'
import { useGo } from '../ui/link.tsx'
import { useTitle } from '../ui/page.tsx'
import { Refusal } from '../ui/states.tsx'

const tokenInAddress = () => new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined

/** The token of a link, read once and then removed from the URL and its history. */
function useLinkToken(): string | undefined {
  const [token, setToken] = useState(tokenInAddress)
  useEffect(() => {
    // Opening a link in a tab with this page changes only the fragment.
    const look = () => setToken((old) => tokenInAddress() ?? old)
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])
  useEffect(() => {
    // The token is a secret: it is removed from URL and history.
    if (location.hash !== '' && token !== undefined) history.replaceState(history.state, '', location.pathname)
  }, [token])
  return token
}

/** Sign-in by a one-time link, by password, or by single sign-on. */
export function SignInPage() {
  const { signIn } = usePageTexts()
  const token = useLinkToken()
  const [isForgotten, setForgotten] = useState(false)
  if (token !== undefined)
    return (
      <Entry title={signIn.welcome} text={signIn.choosePassword}>
        <ByLink token={token} />
      </Entry>
    )
  return isForgotten ? (
    <Entry title={signIn.resetTitle} text={signIn.resetText}>
      <Reset back={() => setForgotten(false)} />
    </Entry>
  ) : (
    <Entry title={signIn.title}>
      <Password forgot={() => setForgotten(true)} />
    </Entry>
  )
}

/** Requests a password reset link. The response does not reveal whether the address has an account. */
function Reset({ back }: { readonly back: () => void }) {
  const { signIn } = usePageTexts()
  const [sent, setSent] = useState<string>()
  return (
    <>
      {sent === undefined ? (
        <Form
          fields={[{ name: 'email', label: signIn.email, kind: 'email', autoComplete: 'username' }]}
          initial={{ email: lastEmail() }}
          submit={signIn.resetSubmit}
          send={async ({ email }) => {
            await call('post', '/api/v1/auth/reset', { body: { email } })
            setSent(email)
          }}
        />
      ) : (
        <div role="status" className="stack">
          <p className="note" data-tone="ok">
            <Icon name="ok" />
            <span>{signIn.resetSent(sent)}</span>
          </p>
          <p className="muted">{signIn.resetNoMail}</p>
        </div>
      )}
      <button type="button" className="link" onClick={back}>
        {signIn.resetBack}
      </button>
    </>
  )
}

/** The storage key of the last email address, with which the form is filled. */
const EMAIL = 'studio.email'
const lastEmail = (): string => localStorage.getItem(EMAIL) ?? ''

/** Accepts an invitation by mail or link: a new account gets its password. */
export function InvitationPage() {
  const { signIn } = usePageTexts()
  const token = useLinkToken()
  const enter = useEnter()
  const found = usePreview('/api/v1/invitations/preview', token, (text) =>
    call('post', '/api/v1/invitations/preview', { body: { token: text } }),
  )
  if (token === undefined) return <Entry title={signIn.invitation} text={signIn.noToken} />
  const preview = found.data
  const fields = [
    { name: 'display_name', label: signIn.name, isOptional: true, autoComplete: 'name' },
    {
      name: 'password',
      label: signIn.newPassword,
      hint: signIn.invitedHint,
      kind: 'password',
      isOptional: true,
      autoComplete: 'new-password',
    },
  ] as const satisfies readonly FormField[]
  return (
    <Entry
      title={preview === undefined ? signIn.invitation : signIn.invitationTo(preview.organization)}
      text={preview === undefined ? signIn.invitationText : signIn.invitedBy(preview.invited_by, preview.email)}
    >
      <Refusal error={found.error} />
      {preview?.has_account === true && <p className="note">{signIn.hasAccount}</p>}
      <Form
        fields={fields}
        submit={signIn.accept}
        send={async ({ password, display_name }) => {
          const { org_id: org, user } = await call('post', '/api/v1/invitations/accept', {
            body: { token, ...(password !== '' && { password }), ...(display_name !== '' && { display_name }) },
          })
          localStorage.setItem(EMAIL, user.email)
          enter(paths.organization(org))
        }}
      />
    </Entry>
  )
}

/** Continue with a new session: data of an earlier session is fetched again. */
function useEnter(): (to?: string) => void {
  const client = useQueryClient()
  const go = useGo()
  return (to = paths.home()) => {
    client.clear()
    signedOut.tell(false)
    go(to, { replace: true })
  }
}

function ByLink({ token }: { readonly token: string }) {
  const { signIn } = usePageTexts()
  const enter = useEnter()
  const fields = [
    {
      name: 'password',
      label: signIn.newPassword,
      hint: signIn.passwordHint,
      kind: 'password',
      autoComplete: 'new-password',
    },
  ] as const satisfies readonly FormField[]
  const { data, error } = usePreview('/api/v1/auth/token/preview', token, (text) =>
    call('post', '/api/v1/auth/token/preview', { body: { token: text } }),
  )
  return (
    <>
      <Refusal error={error} />
      {data !== undefined && (
        <p>
          {signIn.account} <b>{data.email}</b>
        </p>
      )}
      <Form
        fields={fields}
        submit={signIn.submit}
        send={async (values) => {
          const { user } = await call('post', '/api/v1/auth/token', { body: { token, password: values.password } })
          localStorage.setItem(EMAIL, user.email)
          enter()
        }}
      />
    </>
  )
}

/** Reads the account of a link, or the organization and inviter of an invitation. The token stays valid. */
function usePreview<Preview>(path: string, token: string | undefined, read: (token: string) => Promise<Preview>) {
  return useQuery<Preview, ApiError>({
    queryKey: keyOf(path, token),
    queryFn: () => read(token ?? ''),
    enabled: token !== undefined,
    retry: false,
    staleTime: Infinity,
  })
}

function Password({ forgot }: { readonly forgot: () => void }) {
  const { signIn } = usePageTexts()
  const enter = useEnter()
  const options = useGet('/api/v1/auth/options', {}).data
  const fields = [
    { name: 'email', label: signIn.email, kind: 'email', autoComplete: 'username' },
    { name: 'password', label: signIn.password, kind: 'password', autoComplete: 'current-password' },
  ] as const satisfies readonly FormField[]
  return (
    <>
      {options?.password !== false && (
        <Form
          fields={fields}
          initial={{ email: lastEmail() }}
          submit={signIn.submit}
          send={async (values) => {
            await call('post', '/api/v1/auth/login', {
              body: { email: values.email, password: values.password },
            })
            localStorage.setItem(EMAIL, values.email)
            enter()
          }}
        />
      )}
      {options?.password !== false && (
        <button type="button" className="link" onClick={forgot}>
          {signIn.forgot}
        </button>
      )}
      {options?.sso === true && (
        <a className="btn" href={`${BASE}/api/v1/auth/sso`}>
          {signIn.sso}
        </a>
      )}
    </>
  )
}

function Entry({
  title,
  text,
  children,
}: {
  readonly title: string
  readonly text?: string
  readonly children?: ReactNode
}) {
  useTitle(title)
  const { t, language, choose } = useLanguage()
  const { common, frame } = t
  return (
    <main className="entry" id="main">
      <p className="brand">
        <img src="./icon.svg" width={28} height={28} alt="" />
        {common.product}
      </p>
      <div className="card">
        <h1>{title}</h1>
        {text !== undefined && <p className="muted">{text}</p>}
        {children}
      </div>
      <footer className="links">
        {Object.entries(LANGUAGES).map(([id, name]) => (
          <button
            key={id}
            type="button"
            className="link"
            lang={id}
            aria-pressed={language === id}
            onClick={() => choose(id as Language)}
          >
            {name}
          </button>
        ))}
        <a href={DOCUMENTATION}>{frame.documentation}</a>
        <span className="tnum">{frame.version(VERSION)}</span>
      </footer>
    </main>
  )
}
