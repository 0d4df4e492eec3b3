import { lastWrite, onUnauthorized } from './client';
import { errorOf } from './problem';

interface UploadOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Called with the share of the form that was sent, 0 to 1. */
  onProgress?: (sent: number) => void;
}

/**
 * Sends a form and resolves with the JSON of the response. `fetch` does not report progress.
 * @throws ApiError; TypeError if there is no response
 */
export function upload<T>(path: string, form: FormData, options: UploadOptions = {}): Promise<T> {
  const { headers = {}, signal, onProgress } = options;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const settle = async (): Promise<T> => {
      const { status } = request;
      lastWrite.at = performance.now();
      if (status === 401) onUnauthorized.call();
      const response = new Response(request.responseText, {
        status,
        headers: { 'Retry-After': request.getResponseHeader('Retry-After') ?? '' },
      });
      if (!response.ok) throw await errorOf(response);
      return (await response.json()) as T;
    };
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(loaded / total);
    request.onload = () => settle().then(resolve, reject);
    request.onerror = () => reject(new TypeError('The request failed.'));
    request.onabort = () => reject(new DOMException('The request was aborted.', 'AbortError'));
    signal?.addEventListener('abort', () => request.abort());
    lastWrite.at = performance.now();
    request.open('POST', path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(form);
  });
}
