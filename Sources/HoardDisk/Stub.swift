internal import GRDB
internal import Crypto
