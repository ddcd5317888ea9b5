import { useGet, useSend } from '../api/data.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { PopoverButton } from '../ui/menu-button.tsx'
import { Pending } from '../ui/states.tsx'
import { NoticeList } from './notice-list.tsx'
import { useIds } from './route-scope.ts'

const NOTIFICATIONS = '/api/v1/orgs/{oid}/notifications'
/** Maximum number of notifications in the menu; the inbox lists all. */
const MAX_COUNT = 10
/** Events cover one project only: members and other projects are polled. */
const POLL_INTERVAL_MS = 30_000

/** The number of unread notifications, and the newest ones. */
export function Notifications() {
  const { notices: texts } = useTexts()
  const { oid } = useIds()
  const count = useGet(`${NOTIFICATIONS}/count`, { path: { oid } }, { refetchInterval: POLL_INTERVAL_MS })
  const unread = count.data?.unread ?? 0
  return (
    <PopoverButton
      className="btn icon bell"
      kind="quiet"
      label={texts.button(unread)}
      placement="bottom end"
      button={
        <>
          <Icon name="bell" />
          {unread > 0 && <span className="badge tnum">{unread > 99 ? '99+' : unread}</span>}
        </>
      }
      title={texts.title}
      popoverClass="menu notices"
      content={(close) => <Newest oid={oid} unread={unread} close={close} />}
    />
  )
}

function Newest({ oid, unread, close }: { readonly oid: string; readonly unread: number; readonly close: () => void }) {
  const { notices: texts } = useTexts()
  const list = useGet(NOTIFICATIONS, { path: { oid }, query: { limit: MAX_COUNT } }, { oldAfter: 0 })
  const readAll = useSend('post', `${NOTIFICATIONS}/read-all`, [NOTIFICATIONS, `${NOTIFICATIONS}/count`])
  return (
    <>
      <header className="row">
        <h2>{texts.title}</h2>
        <span className="grow" />
        <button
          type="button"
          className="btn"
          data-kind="quiet"
          disabled={unread === 0 || readAll.isPending}
          onClick={() => readAll.mutate({ path: { oid } })}
        >
          {texts.readAll}
        </button>
      </header>
      {list.data !== undefined ? (
        <NoticeList items={list.data.items} opened={close} />
      ) : (
        <Pending of={list} lines={3} />
      )}
      <footer>
        <Go to={paths.inbox(oid)} onClick={close}>
          {texts.inbox}
        </Go>
      </footer>
    </>
  )
}
