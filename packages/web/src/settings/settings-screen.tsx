import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import frame from '../frame/frame.module.css'
import { useNameInTitle } from '../frame/title.ts'
import { Scroller } from '../parts/scroller.tsx'
import { useCurrentInView } from '../parts/use-current-in-view.ts'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import { EnvironmentsSection } from './environments-section.tsx'
import { KeysSection } from './keys-section.tsx'
import { MembersSection } from './members-section.tsx'
import { PricesSection } from './prices-section.tsx'
import { RetentionSection } from './retention-section.tsx'
import { SecretsSection } from './secrets-section.tsx'
import styles from './settings.module.css'
import { WebhooksSection } from './webhooks-section.tsx'

const SECTIONS: Readonly<Record<string, { name: string; Section: () => ReactNode }>> = {
  keys: { name: 'API keys', Section: KeysSection },
  members: { name: 'Members', Section: MembersSection },
  secrets: { name: 'Secrets', Section: SecretsSection },
  environments: { name: 'Environments', Section: EnvironmentsSection },
  retention: { name: 'Retention', Section: RetentionSection },
  prices: { name: 'Prices', Section: PricesSection },
  webhooks: { name: 'Webhooks', Section: WebhooksSection },
}

/** What a project is set to. */
export function SettingsScreen(): ReactNode {
  const { section } = useParams({ from: '/settings/$section' })
  const sections = useCurrentInView()
  const shown = Object.hasOwn(SECTIONS, section) ? SECTIONS[section] : undefined
  useNameInTitle(shown?.name)
  const part = useKeptFocus<HTMLDivElement>()
  return (
    <div className={styles.screen}>
      <nav ref={sections} className={styles.sections} aria-label="Settings">
        {Object.entries(SECTIONS).map(([key, { name }]) => (
          <Link key={key} to="/settings/$section" params={{ section: key }}>
            {name}
          </Link>
        ))}
      </nav>
      <Scroller ref={part} className={styles.scroller} label={shown?.name ?? 'Settings'}>
        {shown ? (
          <section className={styles.section}>
            <h1>{shown.name}</h1>
            <shown.Section />
          </section>
        ) : (
          <div className={frame.page}>
            <h1>There are no such settings</h1>
          </div>
        )}
      </Scroller>
    </div>
  )
}
