import type { ReactNode } from 'react'
import { getKey } from '../api/key.ts'
import frame from '../frame/frame.module.css'
import { CopyButton } from '../parts/copy-button.tsx'
import styles from './onboarding.module.css'

/** What a project without any span shows: the lines that send one, and that the page waits for it. */
export function Onboarding(): ReactNode {
  return (
    <div className={styles.scroller}>
      <div className={frame.page}>
        <h1>Send the first trace</h1>
        <p role="status" className={styles.waiting}>
          Waiting for the first span. It is shown here the moment it arrives.
        </p>
        <Lines title="With any OpenTelemetry SDK: set these where the application starts">{sdkLines()}</Lines>
        <Lines title="With Node.js: then start the application like this">{NODE_LINES}</Lines>
        <Lines title="From a terminal, without an SDK">{curlLines()}</Lines>
        <Lines title="Some examples, in the folder of Spanhouse">npm run demo</Lines>
      </div>
    </div>
  )
}

function Lines({ title, children }: { title: string; children: string }): ReactNode {
  return (
    <section className={styles.lines}>
      <header>
        <h2>{title}</h2>
        <CopyButton text={children} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways */}
      <pre tabIndex={0} role="region" aria-label={title}>
        {children}
      </pre>
    </section>
  )
}

/** SDKs decode the values of headers. Some would use gRPC, which has another port. */
const sdkLines = (): string => `export OTEL_EXPORTER_OTLP_ENDPOINT=${location.origin}/api/otlp
export OTEL_EXPORTER_OTLP_HEADERS="authorization=ApiKey%20${getKey()}"
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`

const NODE_LINES = `npm install @opentelemetry/api @opentelemetry/auto-instrumentations-node
node --import @opentelemetry/auto-instrumentations-node/register app.js`

const SPAN = JSON.stringify({
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')",
              spanId: '00f067aa0ba902b7',
              name: 'hello',
              startTimeUnixNano: '$(date +%s)000000000',
              endTimeUnixNano: '$(date +%s)250000000',
            },
          ],
        },
      ],
    },
  ],
}).replaceAll('"', '\\"')

const curlLines = (): string => `curl ${location.origin}/api/otlp/v1/traces \\
  -H "Authorization: ApiKey ${getKey()}" -H "Content-Type: application/json" \\
  -d "${SPAN}"`
