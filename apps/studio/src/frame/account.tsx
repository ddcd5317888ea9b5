import { useQueryClient } from '@tanstack/react-query'
import { call } from '../api/client.ts'
import type { components } from '../api/schema.ts'
import { paths } from '../paths.ts'
import { type Language, LANGUAGES, useLanguage } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { useGo } from '../ui/link.tsx'
import { MenuButton } from '../ui/menu-button.tsx'
import type { MenuGroup } from '../ui/menu-group.ts'
import { Avatar } from './avatar.tsx'
import { DOCUMENTATION, VERSION } from './documentation.ts'
import { useIds } from './route-scope.ts'
import { chooseTheme, THEMES, useTheme } from './theme.ts'

/** The account menu: appearance, language, and help. */
export function Account({ me, showKeys }: { readonly me: components['schemas']['Me']; readonly showKeys: () => void }) {
  const { t } = useLanguage()
  const name = nameOf(me)
  return (
    <MenuButton
      className="btn avatar-button"
      label={t.frame.account}
      placement="bottom end"
      button={<Avatar name={name} />}
      header={
        <header>
          <b>{name}</b>
          {me.user?.email !== name && <small>{me.user?.email}</small>}
        </header>
      }
      groups={useGroups(showKeys)}
    />
  )
}

const nameOf = ({ user }: components['schemas']['Me']) =>
  user === null ? '' : user.display_name === '' ? user.email : user.display_name

function useGroups(showKeys: () => void): readonly MenuGroup[] {
  const { t, language, choose } = useLanguage()
  const { frame } = t
  const theme = useTheme()
  const go = useGo()
  const { oid } = useIds()
  const client = useQueryClient()
  const leave = async () => {
    await call('post', '/api/v1/auth/logout', {})
    client.clear()
    go(paths.signIn())
  }
  return [
    {
      title: frame.account,
      hasHiddenTitle: true,
      items: [
        { id: 'account', label: frame.yourAccount, icon: <Icon name="user" />, run: () => go(paths.account(oid)) },
      ],
    },
    {
      title: frame.theme,
      selected: theme,
      items: THEMES.map((one) => ({
        id: one,
        label: frame.themes[one],
        icon: <Icon name={one === theme ? 'check' : one === 'dark' ? 'moon' : one === 'light' ? 'sun' : 'settings'} />,
        run: () => chooseTheme(one),
      })),
    },
    {
      title: frame.language,
      selected: language,
      items: Object.entries(LANGUAGES).map(([id, label]) => ({
        id,
        label,
        icon: <Icon name={id === language ? 'check' : 'language'} />,
        run: () => choose(id as Language),
      })),
    },
    {
      title: frame.help,
      items: [
        {
          id: 'documentation',
          label: frame.documentation,
          icon: <Icon name="book" />,
          note: <span className="kind tnum">{frame.version(VERSION)}</span>,
          href: DOCUMENTATION,
        },
        { id: 'keys', label: frame.keyHelp, icon: <Icon name="key" />, run: showKeys },
      ],
    },
    {
      title: frame.signOut,
      hasHiddenTitle: true,
      items: [{ id: 'out', label: frame.signOut, icon: <Icon name="out" />, run: () => void leave() }],
    },
  ]
}
