import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node'
import { type Authenticator, type NewProject, unauthenticated } from '@spanhouse/access'
import { type Exports, UNCOUNTED } from '../ingest/exports.ts'

/** The result codes of an export, as the SDK defines them. */
const [SUCCESS, FAILED] = [0, 1]

export interface OwnExporterOptions {
  authenticator: Pick<Authenticator, 'workerFor'>
  exports: Pick<Exports, 'accept'>
  project: Pick<NewProject, 'project_id' | 'user_id'>
  /** Called for spans that are lost because they were not accepted. */
  onLost(spans: number, error: Error): void
}

/** Hands spans to the program's own intake, with the limits and quotas of any other export, but without a request. */
export class OwnExporter implements SpanExporter {
  readonly #options: OwnExporterOptions
  readonly #underWay = new Set<Promise<void>>()

  constructor(options: OwnExporterOptions) {
    this.#options = options
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    const accepted = this.#accept(spans)
      .then(
        () => done({ code: SUCCESS }),
        error => {
          this.#options.onLost(spans.length, error)
          done({ code: FAILED, error })
        },
      )
      .finally(() => this.#underWay.delete(accepted))
    this.#underWay.add(accepted)
  }

  async forceFlush(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  shutdown(): Promise<void> {
    return this.forceFlush()
  }

  async #accept(spans: ReadableSpan[]): Promise<void> {
    const { authenticator, exports, project } = this.#options
    const sender = await authenticator.workerFor(project.user_id, project.project_id)
    if (sender === null) throw unauthenticated()
    await exports.accept(
      sender,
      UNCOUNTED,
      async () => ProtobufTraceSerializer.serializeRequest(spans) ?? new Uint8Array(),
    )
  }
}
