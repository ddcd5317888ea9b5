import { Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { ApiError, signedOut } from '../api/errors.ts'
import { useProjectEvents } from '../api/project-events.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { useGo } from '../ui/link.tsx'
import { Icon } from '../ui/icon.tsx'
import { loadOverlays } from '../ui/lazy-overlays.ts'
import { Failed, Skeleton } from '../ui/states.tsx'
import { Account } from './account.tsx'
import { hasSteps } from './commands.ts'
import { Crumbs } from './crumbs.tsx'
import { useFocusKeeper } from './focus-keeper.ts'
import { firstFocusable } from './focus-target.ts'
import { isLetterKey } from './letter-keys.ts'
import { Notifications } from './notifications.tsx'
import { useIds, useMe, useOrganization } from './route-scope.ts'
import { goToRegion } from './regions.ts'
import { Side } from './sidebar.tsx'
import { collectTypeAhead, type EndTypeAhead } from './type-ahead.ts'

const Palette = lazy(() => import('./palette.tsx').then(({ Palette: component }) => ({ default: component })))
const SignInAgain = lazy(() =>
  import('./sign-in-again.tsx').then(({ SignInAgain: component }) => ({ default: component })),
)
const KeyHelp = lazy(() => import('./key-help.tsx').then(({ KeyHelp: component }) => ({ default: component })))

type Over = 'palette' | 'keys' | 'steps'

/** The frame around every page of an organization. */
export function Frame() {
  const { frame } = useTexts()
  const me = useMe()
  const organization = useOrganization()
  const go = useGo()
  const isEditor = useRouterState({
    select: ({ location }) => /\/rulesets\/[^/]+(?:\/compare)?$/.test(location.pathname),
  })
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const { oid, pid } = useIds()
  const stream = useProjectEvents(oid, pid)
  const [over, setOver] = useState<Over>()
  const typedAhead = useRef<EndTypeAhead>(undefined)
  const show = useCallback((what: Over) => {
    typedAhead.current?.()
    typedAhead.current = what === 'keys' ? undefined : collectTypeAhead()
    setOver(what)
  }, [])
  const { hasMenu, setMenu, menuButton } = useMenu(path)
  const isOut = useSyncExternalStore(signedOut.subscribe, signedOut.get)
  const isSignedOut = me.error instanceof ApiError && me.error.status === 401
  useEffect(() => {
    if (isSignedOut) go(paths.signIn(), { replace: true })
  }, [isSignedOut, go])
  useEffect(loadOverlays, [])
  useFrameKeys(show)
  useFocusKeeper()
  if (isSignedOut || me.data === undefined)
    return me.error === null || isSignedOut ? <Skeleton /> : <FrameFailure error={me.error} retry={me.refetch} />
  if (organization === undefined) return <FrameFailure error={new ApiError(404, undefined, null)} />
  return (
    <div className="frame" data-rail={isEditor ? '' : undefined} data-menu={hasMenu ? '' : undefined}>
      <a className="skip" href="#main" onClick={(event) => focusMain(event)}>
        {frame.skip}
      </a>
      <Side me={me.data} organization={organization} />
      {hasMenu && <div className="side-scrim" onClick={() => setMenu(false)} />}
      <div className="sheet">
        <header className="top">
          <button
            ref={menuButton}
            type="button"
            className="btn icon menu-button"
            data-kind="quiet"
            aria-label={frame.menu}
            aria-expanded={hasMenu}
            onClick={() => setMenu(!hasMenu)}
          >
            <Icon name="menu" />
          </button>
          <Crumbs organization={organization} />
          <span className="grow" />
          <button type="button" className="find" onClick={() => show('palette')}>
            <Icon name="search" size={14} />
            <span>{frame.search}</span>
            <kbd>{frame.paletteKey}</kbd>
          </button>
          <Notifications />
          <Account me={me.data} showKeys={() => show('keys')} />
        </header>
        <Connection isLost={stream === 'lost'} />
        <Suspense fallback={<main className="page" aria-busy="true" />}>
          <Outlet />
        </Suspense>
      </div>
      <Suspense>
        {(over === 'palette' || over === 'steps') && (
          <Palette
            key={over}
            isOfSteps={over === 'steps'}
            endTypeAhead={() => typedAhead.current?.() ?? ''}
            close={() => setOver(undefined)}
          />
        )}
        {over === 'keys' && <KeyHelp close={() => setOver(undefined)} />}
        {isOut && <SignInAgain email={me.data.user?.email ?? ''} />}
      </Suspense>
    </div>
  )
}

/** An error outside a frame. */
function FrameFailure(props: { readonly error: Error; readonly retry?: () => unknown }) {
  return (
    <main className="frame-failure" id="main">
      <Failed {...props} />
    </main>
  )
}

/** The navigation in a narrow window: it takes the focus; Escape returns it, and navigation closes it. */
function useMenu(path: string) {
  const [hasMenu, setMenu] = useState(false)
  const menuButton = useRef<HTMLButtonElement>(null)
  useEffect(() => setMenu(false), [path])
  useEffect(() => {
    if (!hasMenu) return
    const side = document.querySelector('.side')
    if (side !== null) firstFocusable(side)?.focus()
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      setMenu(false)
      menuButton.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [hasMenu])
  return { hasMenu, setMenu, menuButton }
}

/** Focus by script, since a link would change the fragment of the URL. */
function focusMain(event: React.MouseEvent): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

function keyOf(event: KeyboardEvent, show: (what: Over) => void): (() => void) | undefined {
  const isCommand = event.ctrlKey || event.metaKey
  const key = event.key.toLowerCase()
  if (isCommand && key === 'k') return () => show('palette')
  // The text view has its own search, which has already handled the key.
  if (isCommand && key === 'f' && !event.defaultPrevented && hasSteps()) return () => show('steps')
  if (event.key === '?' && isLetterKey(event)) return () => show('keys')
  // An open dialog is modal.
  const isOpen = document.querySelector('[role=dialog]') !== null
  return event.key === 'F6' && !isCommand && !isOpen ? () => goToRegion(event.shiftKey ? -1 : 1) : undefined
}

function useFrameKeys(show: (what: Over) => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const act = keyOf(event, show)
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [show])
}

const online = {
  subscribe(listener: () => void) {
    addEventListener('online', listener)
    addEventListener('offline', listener)
    return () => {
      removeEventListener('online', listener)
      removeEventListener('offline', listener)
    }
  },
  get: () => navigator.onLine,
}

/** Reports a lost connection to the platform, or to its event stream. */
function Connection({ isLost }: { readonly isLost: boolean }) {
  const { frame } = useTexts()
  const isOnline = useSyncExternalStore(online.subscribe, online.get)
  return isOnline && !isLost ? null : (
    <div className="offline" role="status">
      <Icon name="offline" />
      {isOnline ? frame.lost : frame.offline}
    </div>
  )
}
