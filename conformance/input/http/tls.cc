// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http/tls.h"

#include <openssl/crypto.h>
#include <openssl/x509_vfy.h>

#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/input/http/resolve.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

// The certificates that Debian and Alpine, Fedora and its relatives, openSUSE
// and the BSDs trust.
constexpr const char* kSystemFiles[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
};

}  // namespace

absl::StatusOr<boost::asio::ssl::context> TrustingContext(const std::string& ca_file) {
  // Without the system's openssl.cnf, which can name modules to load.
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  boost::asio::ssl::context context(boost::asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  context.set_verify_mode(boost::asio::ssl::verify_peer);
  boost::system::error_code error;
  if (!ca_file.empty()) {
    context.load_verify_file(ca_file, error);
    if (!error) return context;
    return absl::InvalidArgumentError(
        absl::StrCat("no certificate can be read from ", ca_file, ", which --cacert names"));
  }
  const char* const named_file = std::getenv("SSL_CERT_FILE");
  const char* const folder = std::getenv("SSL_CERT_DIR");
  if (named_file != nullptr) {
    context.load_verify_file(named_file, error);
    if (error) {
      return absl::InvalidArgumentError(absl::StrCat("no certificate can be read from ",
                                                     Quote(named_file),
                                                     ", which the variable SSL_CERT_FILE names"));
    }
  }
  if (folder != nullptr) context.add_verify_path(folder, error);
  if (named_file != nullptr || folder != nullptr) return context;
  context.set_default_verify_paths(error);
  for (const char* file : kSystemFiles) {
    context.load_verify_file(file, error);
    if (!error) break;
  }
  return context;
}

bool ExpectHost(const std::string& host, SSL* ssl) {
  if (IsAddress(host)) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  }
  return SSL_set_tlsext_host_name(ssl, host.c_str()) == 1 && SSL_set1_host(ssl, host.c_str()) == 1;
}

std::string WhyNotTrusted(const SSL* ssl) {
  const long result = SSL_get_verify_result(ssl);
  if (result == X509_V_OK) return "";
  const bool is_of_this_server = result == X509_V_ERR_HOSTNAME_MISMATCH ||
                                 result == X509_V_ERR_IP_ADDRESS_MISMATCH ||
                                 result == X509_V_ERR_CERT_HAS_EXPIRED;
  return absl::StrCat(
      "its certificate is not trusted (", X509_verify_cert_error_string(result),
      is_of_this_server ? ")" : "); --cacert FILE or SSL_CERT_FILE names certificates to trust");
}

}  // namespace gguf
